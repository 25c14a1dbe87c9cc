/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_DOCTOR_PROBE_H
#define CORDON_HOST_DOCTOR_PROBE_H

struct arena;
struct host_check;

/*
 * Each tries one thing, in a child where the try would change this process,
 * and fills state, found and remedy of @check.
 */
void doctor_probe_userns(struct arena *arena, struct host_check *check);
void doctor_probe_namespaces(struct arena *arena, struct host_check *check);
void doctor_probe_mounts(struct arena *arena, struct host_check *check);
void doctor_probe_proc(struct arena *arena, struct host_check *check);
void doctor_probe_overlay(struct arena *arena, struct host_check *check);
void doctor_probe_landlock(struct arena *arena, struct host_check *check);
void doctor_probe_seccomp(struct arena *arena, struct host_check *check);
void doctor_probe_notify(struct arena *arena, struct host_check *check);

#endif
