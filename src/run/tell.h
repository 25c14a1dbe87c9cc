/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_RUN_TELL_H
#define CORDON_RUN_TELL_H

struct err;
struct record;
struct run_box;
struct run_request;

/* -1 if the audit log did not take it. */
int run_tell_started(const struct run_request *request);

/* The command never started. */
void run_tell_failed(const struct run_request *request, const struct err *err);

/* A warning where names are not reached at every port. */
void run_tell_ports(struct record *record, const struct run_box *box);

/* A limit, by its key, ends the box. */
void run_tell_limit(struct record *record, const char *key);

/* The outcome; and warnings about events that were not taken. */
void run_tell_ended(struct record *record);

#endif
