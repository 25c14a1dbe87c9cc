/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_IMPORT_SRT_H
#define CORDON_CMD_IMPORT_SRT_H

#include "cmd/import.h"

/* Sections that the settings of srt and of Claude Code share, as they are read
 * by the same program there. */
import_take import_take_srt_network;
import_take import_take_srt_filesystem;
import_take import_take_srt_credentials;

#endif
