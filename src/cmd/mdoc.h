/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_MDOC_H
#define CORDON_CMD_MDOC_H

struct text;
struct verbs;

/*
 * The sections of cordon(1) that follow the tables, in mdoc(7): every verb
 * with its own options, then the groups of options that verbs share.
 */
void mdoc_verbs_format(struct text *out, const struct verbs *verbs);

#endif
