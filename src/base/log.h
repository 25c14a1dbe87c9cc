/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_BASE_LOG_H
#define CORDON_BASE_LOG_H

#include <stdbool.h>

/*
 * What cordon has to say to the person at the terminal: one line each on
 * standard error, "cordon: " in front, made safe to print. What the command
 * did is never a log line but an event or the outcome.
 */

/* Once, in main: with @quiet only errors are shown. */
void log_setup(bool quiet);

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
