/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_RELAY_H
#define CORDON_EGRESS_RELAY_H

#include <stddef.h>
#include <stdint.h>

struct flow;
struct session;

/* Both ends are there: from now on bytes go both ways, the client's as far as
 * session->inspection lets them. */
void relay_start(struct session *session);

/* An end has something to say or room. May close the session. */
void relay_ready(struct session *session, const void *source, uint32_t events);

/* Sends, and keeps what is not taken; -1 if that end is gone. */
int flow_put(struct flow *flow, const char *data, size_t n);
/* Sends what was kept; -1 if that end is gone. */
int flow_flush(struct flow *flow);
/* Nothing more will come from flow->from. @other is the way back. */
void flow_end(struct flow *flow, const struct flow *other);
void flow_free(struct session *session, struct flow *flow);

#endif
