/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_PROGRAMS_H
#define CORDON_HOST_PROGRAMS_H

struct facts;
struct host_resolver;
struct plan_queries;

/*
 * Every place where one of @queries->programs lies: a name in
 * @queries->program_dirs and in the caller's PATH, a path where it says. What
 * is not there is left out. Fills @out->programs and @out->program_dirs.
 */
void host_programs_probe(struct host_resolver *resolver,
			 const struct plan_queries *queries, struct facts *out);

#endif
