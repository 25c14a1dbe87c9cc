/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/resolve.c - names to addresses, outside the box
 *
 * Runs in:  the egress process.
 * Trusts:   the host's files. An answer is no permission: the addresses are
 *           judged by whoever asked.
 * Must not: open files after resolver_new(), ask for more names than the
 *           budget has, or hold more than a fixed number of them.
 */
#include "egress/resolve.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "egress/egress.h"
#include "egress/hosts.h"
#include "egress/loop.h"
#include "egress/query.h"
#include "egress/servers.h"
#include "plan/egress.h"
#include "wire/dns.h"

enum {
	ENTRIES_MAX = 256,
	KEPT_MIN_S = 1,
	KEPT_MAX_S = 60,
	/* When one family has answered, RFC 8305 3. */
	GRACE_MS = 50,
	/* A hundred names in ten seconds: one costs a hundred milliseconds of
	 * those that passed. */
	BUDGET_MS = 10000,
	NAME_COST_MS = 100,
	FILES_AGE_MS = 3000, /* from when on there may be newer ones */
};

enum { IPV6, IPV4, FAMILIES };

/* What is known of one type of address. */
struct family {
	struct query query;
	enum { FAMILY_WAITS, FAMILY_ANSWERED, FAMILY_FAILED } state;
	struct address v[LOOKUP_ADDRESSES_MAX];
	size_t n;
	uint32_t ttl;
};

/* A name that is asked for, or whose answer is kept. */
struct entry {
	struct resolver *resolver;
	char name[DNS_NAME_MAX + 1];
	uint64_t used; /* when, as a count of lookups */
	unsigned int telling; /* calls of done() that use what is found */
	bool asking;
	uint32_t files; /* that were in use when it was asked */
	struct lookup *lookups; /* that wait */
	struct family families[FAMILIES];
	struct timer grace;
	/* once it is known, */
	enum lookup_status status;
	struct address found[LOOKUP_ADDRESSES_MAX];
	size_t n;
	uint64_t until_ms; /* it is kept; 0: nothing is known */
};

struct resolver {
	struct arena *arena;
	struct loop *loop;
	bool from_files; /* and not network.resolver */
	uint32_t files; /* how often they were replaced */
	struct arena files_arena;
	struct hosts hosts; /* in it */
	void (*used)(void *data); /* NULL: nobody wants to know */
	void *used_data;
	uint64_t used_at_ms; /* when it was called */
	struct querier querier;
	struct timer_queue graces;
	/* The hashes beside each other: they are looked through for each
	 * lookup. */
	uint32_t hashes[ENTRIES_MAX];
	struct entry *entries[ENTRIES_MAX];
	size_t n;
	uint64_t lookups; /* so far */
	uint64_t budget_ms;
	uint64_t budget_at_ms; /* when it was counted */
};

struct resolver *resolver_new(struct arena *arena, struct loop *loop,
			      const struct plan_egress *plan, struct err *err)
{
	struct resolver *resolver = arena_array(arena, struct resolver, 1);
	const struct egress_target *server = &plan->resolver.host;
	struct servers servers;

	if (plan->resolver.set) {
		servers_init(&servers);
		servers_add(&servers, &server->address, 0, server->port);
	} else if (hosts_read(&resolver->files_arena, EGRESS_HOSTS,
			      &resolver->hosts, err) ||
		   servers_read(arena, EGRESS_SERVERS, &servers, err)) {
		return NULL;
	}
	resolver->from_files = !plan->resolver.set;
	resolver->used_at_ms = loop->now_ms;
	resolver->arena = arena;
	resolver->loop = loop;
	resolver->graces.ms = GRACE_MS;
	resolver->budget_ms = BUDGET_MS;
	resolver->budget_at_ms = loop->now_ms;
	timer_queue_add(loop, &resolver->graces);
	querier_init(&resolver->querier, arena, loop, &servers);
	return resolver;
}

void resolver_on_use(struct resolver *resolver, void (*used)(void *data),
		     void *data)
{
	resolver->used = used;
	resolver->used_data = data;
}

void resolver_replace(struct resolver *resolver, const struct hosts *hosts,
		      const struct servers *servers)
{
	arena_free(&resolver->files_arena);
	resolver->hosts = (struct hosts){ .n = hosts->n };
	if (hosts->n) {
		char *text =
			arena_array(&resolver->files_arena, char, hosts->n);

		memcpy(text, hosts->text, hosts->n);
		resolver->hosts.text = text;
	}
	resolver->querier.servers = *servers;
	resolver->files++;
	for (size_t i = 0; i < resolver->n; i++)
		resolver->entries[i]->until_ms = 0;
}

static void files_used(struct resolver *resolver)
{
	uint64_t now = resolver->loop->now_ms;

	if (!resolver->from_files || !resolver->used ||
	    now - resolver->used_at_ms < FILES_AGE_MS)
		return;
	resolver->used_at_ms = now;
	resolver->used(resolver->used_data);
}

static bool budget_take(struct resolver *resolver)
{
	uint64_t now = resolver->loop->now_ms;

	resolver->budget_ms += now - resolver->budget_at_ms;
	resolver->budget_at_ms = now;
	if (resolver->budget_ms > BUDGET_MS)
		resolver->budget_ms = BUDGET_MS;
	if (resolver->budget_ms < NAME_COST_MS)
		return false;
	resolver->budget_ms -= NAME_COST_MS;
	return true;
}

/* FNV-1a */
static uint32_t hash(const char *name)
{
	uint32_t h = 0x811c9dc5;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x01000193;
	return h;
}

static struct entry *entry_find(const struct resolver *resolver,
				const char *name)
{
	uint32_t h = hash(name);

	for (size_t i = 0; i < resolver->n; i++) {
		if (resolver->hashes[i] == h &&
		    !strcmp(resolver->entries[i]->name, name))
			return resolver->entries[i];
	}
	return NULL;
}

/* Where there is no room, in place of what was not used for longest; NULL if
 * all are being used. */
static struct entry *entry_take(struct resolver *resolver, const char *name)
{
	size_t at = resolver->n;

	if (strlen(name) > DNS_NAME_MAX)
		return NULL;
	if (at < ENTRIES_MAX) {
		resolver->entries[at] =
			arena_array(resolver->arena, struct entry, 1);
		resolver->n++;
	} else {
		for (size_t i = 0; i < ENTRIES_MAX; i++) {
			const struct entry *e = resolver->entries[i];

			if (!e->asking && !e->telling &&
			    (at == ENTRIES_MAX ||
			     e->used < resolver->entries[at]->used))
				at = i;
		}
		if (at == ENTRIES_MAX)
			return NULL;
	}
	*resolver->entries[at] = (struct entry){ .resolver = resolver };
	memcpy(resolver->entries[at]->name, name, strlen(name));
	resolver->hashes[at] = hash(name);
	return resolver->entries[at];
}

static void keep(struct entry *entry, enum lookup_status status, uint32_t ttl)
{
	if (status != LOOKUP_FOUND || ttl < KEPT_MIN_S)
		ttl = KEPT_MIN_S;
	if (ttl > KEPT_MAX_S)
		ttl = KEPT_MAX_S;
	entry->asking = false;
	entry->status = status;
	/* What servers said that are not in use any more is not kept. */
	entry->until_ms =
		entry->files == entry->resolver->files
			? entry->resolver->loop->now_ms + ttl * 1000ull
			: 0;
}

static void tell(struct entry *entry, struct lookup *lookup)
{
	lookup->pending = NULL;
	entry->telling++;
	lookup->done(lookup, entry->status, entry->found, entry->n);
	entry->telling--;
}

static void tell_all(struct entry *entry)
{
	/* As long as one waits the entry is this name's. */
	entry->telling++;
	while (entry->lookups) {
		struct lookup *lookup = entry->lookups;

		entry->lookups = lookup->next;
		tell(entry, lookup);
	}
	entry->telling--;
}

/* Addresses of each family in turn, IPv6 first. */
static void entry_fill(struct entry *entry)
{
	const struct family *families = entry->families;

	entry->n = 0;
	for (size_t i = 0; i < LOOKUP_ADDRESSES_MAX; i++) {
		for (int k = 0; k < FAMILIES; k++) {
			if (i < families[k].n &&
			    entry->n < LOOKUP_ADDRESSES_MAX)
				entry->found[entry->n++] = families[k].v[i];
		}
	}
}

static void begin(struct entry *entry, const struct address *found, size_t n);

/* With files that came while the old servers were asked. */
static void begin_again(struct entry *entry)
{
	struct address found[LOOKUP_ADDRESSES_MAX];

	begin(entry, found,
	      hosts_find(&entry->resolver->hosts, entry->name, found,
			 LOOKUP_ADDRESSES_MAX));
	if (!entry->asking)
		tell_all(entry);
}

static void conclude(struct entry *entry)
{
	enum lookup_status status = LOOKUP_NO_NAME;
	uint32_t ttl = KEPT_MAX_S;

	timer_stop(&entry->grace);
	entry_fill(entry);
	for (int i = 0; i < FAMILIES; i++) {
		struct family *family = &entry->families[i];

		query_stop(&family->query);
		if (family->state != FAMILY_ANSWERED) {
			/* What is incomplete is kept as failures are. */
			status = LOOKUP_FAILED;
			ttl = 0;
		} else if (family->n && family->ttl < ttl) {
			ttl = family->ttl;
		}
	}
	if (!entry->n && status == LOOKUP_FAILED &&
	    entry->files != entry->resolver->files) {
		begin_again(entry);
		return;
	}
	keep(entry, entry->n ? LOOKUP_FOUND : status, ttl);
	tell_all(entry);
}

static void grace_over(struct timer *timer)
{
	conclude((struct entry *)((char *)timer -
				  offsetof(struct entry, grace)));
}

static void family_fill(struct family *family, const struct dns_reply *reply,
			bool is4)
{
	for (size_t i = 0; i < reply->n && i < LOOKUP_ADDRESSES_MAX; i++) {
		unsigned char *v = family->v[family->n++].v;

		if (is4) {
			memset(v, 0, 10);
			memset(v + 10, 0xff, 2);
			memcpy(v + 12, reply->addresses[i], 4);
		} else {
			memcpy(v, reply->addresses[i], 16);
		}
	}
	family->ttl = reply->ttl;
}

static void answered(struct query *query, const struct dns_reply *reply)
{
	struct entry *entry = query->owner;
	struct resolver *resolver = entry->resolver;
	bool is4 = query == &entry->families[IPV4].query;
	struct family *family = &entry->families[is4 ? IPV4 : IPV6];
	struct family *other = &entry->families[is4 ? IPV6 : IPV4];

	family->state = reply ? FAMILY_ANSWERED : FAMILY_FAILED;
	if (reply)
		family_fill(family, reply, is4);
	if (other->state != FAMILY_WAITS)
		conclude(entry);
	else if (family->n)
		timer_start(resolver->loop, &resolver->graces, &entry->grace);
}

/* Both types at once; done before this returns if nobody can be asked. */
static void ask(struct entry *entry)
{
	static const uint16_t types[FAMILIES] = {
		[IPV6] = DNS_AAAA, [IPV4] = DNS_A
	};

	entry->asking = true;
	entry->grace = (struct timer){ .expired = grace_over };
	for (int i = 0; i < FAMILIES; i++)
		entry->families[i] = (struct family){
			.query = { .done = answered, .owner = entry },
		};
	for (int i = 0; i < FAMILIES; i++)
		query_start(&entry->resolver->querier,
			    &entry->families[i].query, entry->name, types[i]);
}

static void take_from_hosts(struct entry *entry, const struct address *found,
			    size_t n)
{
	for (int i = 0; i < FAMILIES; i++)
		entry->families[i].n = 0;
	for (size_t i = 0; i < n; i++) {
		bool is4 = address_is_ipv4(&found[i]);
		struct family *family = &entry->families[is4 ? IPV4 : IPV6];

		family->v[family->n++] = found[i];
	}
	entry_fill(entry);
	keep(entry, LOOKUP_FOUND, KEPT_MAX_S);
}

/* With the addresses that the hosts file has, or by asking if it has none. */
static void begin(struct entry *entry, const struct address *found, size_t n)
{
	entry->files = entry->resolver->files;
	if (n)
		take_from_hosts(entry, found, n);
	else
		ask(entry);
}

/* The entry of @name, with an answer or on its way to one; NULL if there are
 * too many. */
static struct entry *entry_begin(struct resolver *resolver, const char *name)
{
	struct entry *entry = entry_find(resolver, name);
	struct address found[LOOKUP_ADDRESSES_MAX];
	size_t n;

	if (entry &&
	    (entry->asking || entry->until_ms > resolver->loop->now_ms))
		return entry;
	files_used(resolver);
	n = hosts_find(&resolver->hosts, name, found, LOOKUP_ADDRESSES_MAX);
	if (!n && !budget_take(resolver))
		return NULL;
	if (!entry)
		entry = entry_take(resolver, name);
	if (!entry)
		return NULL;
	begin(entry, found, n);
	return entry;
}

void lookup_start(struct resolver *resolver, struct lookup *lookup,
		  const char *name)
{
	struct entry *entry = entry_begin(resolver, name);

	lookup->pending = NULL;
	if (!entry) {
		lookup->done(lookup, LOOKUP_BUDGET, NULL, 0);
		return;
	}
	entry->used = ++resolver->lookups;
	if (!entry->asking) {
		tell(entry, lookup);
		return;
	}
	lookup->pending = entry;
	lookup->next = entry->lookups;
	entry->lookups = lookup;
}

void lookup_cancel(struct resolver *resolver, struct lookup *lookup)
{
	struct entry *entry = lookup->pending;
	struct lookup **at;

	(void)resolver;
	if (!entry)
		return;
	for (at = &entry->lookups; *at != lookup; at = &(*at)->next)
		;
	*at = lookup->next;
	lookup->pending = NULL;
	/* Nobody waits: its sockets are better used for others. */
	if (entry->asking && !entry->lookups) {
		timer_stop(&entry->grace);
		for (int i = 0; i < FAMILIES; i++)
			query_stop(&entry->families[i].query);
		entry->asking = false;
		entry->until_ms = 0;
	}
}
