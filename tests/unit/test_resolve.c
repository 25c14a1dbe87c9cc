/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names outside the box: a name server on loopback, in the same loop as the
 * resolver that asks it, behaves as the name in the question says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "egress/loop.h"
#include "egress/query.h"
#include "egress/resolve.h"
#include "egress/servers.h"
#include "plan/egress.h"
#include "fake_dns.h"
#include "wire/dns.h"

/* Time passes faster when a test wants it to: the loop's clock is this one. */
static uint64_t ahead_ms;

int clock_gettime(clockid_t clock, struct timespec *out)
{
	long failed = syscall(SYS_clock_gettime, clock, out);

	out->tv_sec += (time_t)(ahead_ms / 1000);
	return (int)failed;
}

struct world {
	struct arena arena;
	struct loop loop;
	struct fake fake;
	struct plan_egress plan;
	struct resolver *resolver;
	struct timer_queue ticks;
	unsigned int waiting; /* lookups */
};

struct wanted {
	struct lookup lookup;
	struct world *world;
	bool done;
	enum lookup_status status;
	struct address found[LOOKUP_ADDRESSES_MAX];
	size_t n;
};

static const struct address loopback = {
	{ [10] = 0xff, [11] = 0xff, 127, 0, 0, 1 }
};

static int world_open(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	struct err err;

	assert_non_null(world);
	assert_int_equal(loop_init(&world->loop, &err), 0);
	fake_open(&world->fake, &world->loop);
	world->plan.resolver = (struct egress_endpoint){
		.set = true,
		.host = { .is_address = true,
			  .address = loopback,
			  .port = world->fake.port },
	};
	world->resolver =
		resolver_new(&world->arena, &world->loop, &world->plan, &err);
	assert_non_null(world->resolver);
	world->ticks.ms = 10;
	timer_queue_add(&world->loop, &world->ticks);
	/* What hangs is a failure. */
	alarm(20);
	*state = world;
	return 0;
}

static int world_close(void **state)
{
	struct world *world = *state;

	alarm(0);
	fake_close(&world->fake);
	(void)close(world->loop.epoll);
	arena_free(&world->arena);
	free(world);
	return 0;
}

static void found(struct lookup *lookup, enum lookup_status status,
		  const struct address *v, size_t n)
{
	struct wanted *wanted = (struct wanted *)lookup;

	assert_false(wanted->done);
	assert_null(lookup->pending);
	wanted->done = true;
	wanted->status = status;
	if (n)
		memcpy(wanted->found, v, n * sizeof(*v));
	wanted->n = n;
	if (--wanted->world->waiting == 0)
		wanted->world->loop.stop = true;
}

static void start(struct world *world, struct wanted *wanted, const char *name)
{
	*wanted = (struct wanted){ .lookup.done = found, .world = world };
	world->waiting++;
	lookup_start(world->resolver, &wanted->lookup, name);
}

static void run(struct world *world)
{
	struct err err;

	world->loop.stop = world->waiting == 0;
	assert_int_equal(loop_run(&world->loop, &err), 0);
}

static struct wanted look_up(struct world *world, const char *name)
{
	struct wanted wanted;

	start(world, &wanted, name);
	run(world);
	assert_true(wanted.done);
	return wanted;
}

/* "4 1, 6 2": families and last bytes. */
static void assert_found(const struct wanted *wanted, const char *expected)
{
	char text[200] = "";
	size_t n = 0;

	assert_int_equal(wanted->status, LOOKUP_FOUND);
	for (size_t i = 0; i < wanted->n; i++) {
		const unsigned char *v = wanted->found[i].v;
		bool is4 = address_is_ipv4(&wanted->found[i]);

		assert_memory_equal(is4 ? v + 12 : v,
				    is4 ? v4[0] : (const void *)v6[0],
				    is4 ? 3 : 15);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%d %d",
				      i ? ", " : "", is4 ? 4 : 6, v[15]);
	}
	assert_string_equal(text, expected);
}

struct hurry {
	struct timer timer;
	struct world *world;
};

/* A second for every ten milliseconds. */
static void hurry_on(struct timer *timer)
{
	struct hurry *hurry = (struct hurry *)timer;

	ahead_ms += 1000;
	timer_start(&hurry->world->loop, &hurry->world->ticks, timer);
}

static void hurry(struct world *world)
{
	struct hurry *ticking = arena_array(&world->arena, struct hurry, 1);

	*ticking = (struct hurry){ { .expired = hurry_on }, world };
	timer_start(&world->loop, &world->ticks, &ticking->timer);
}

static void stop(struct timer *timer)
{
	((struct hurry *)timer)->world->loop.stop = true;
}

/* Later, with everything served that was there to serve. */
static void pass(struct world *world, uint64_t ms)
{
	struct hurry end = { { .expired = stop }, world };
	struct err err;

	ahead_ms += ms;
	world->loop.stop = false;
	timer_start(&world->loop, &world->ticks, &end.timer);
	assert_int_equal(loop_run(&world->loop, &err), 0);
}

static uint64_t elapsed_ms(const struct world *world, uint64_t since)
{
	return world->loop.now_ms - since;
}

static void both_families_are_found_in_turn(void **state)
{
	struct world *world = *state;
	struct wanted wanted = look_up(world, "both.test");

	assert_found(&wanted, "6 1, 4 1");
	wanted = look_up(world, "many.test");
	assert_found(&wanted, "6 1, 4 1, 6 2, 4 2, 4 3");
	wanted = look_up(world, "four.test");
	assert_found(&wanted, "4 1");
}

static void an_alias_leads_to_its_address(void **state)
{
	struct wanted wanted = look_up(*state, "alias.test");

	assert_found(&wanted, "4 1");
}

static void a_name_that_there_is_not_is_told_so(void **state)
{
	struct world *world = *state;

	assert_int_equal(look_up(world, "none.test").status, LOOKUP_NO_NAME);
	assert_int_equal(look_up(world, "empty.test").status, LOOKUP_NO_NAME);
}

static void a_cut_answer_is_asked_for_by_stream(void **state)
{
	struct world *world = *state;
	struct wanted wanted = look_up(world, "big.test");

	assert_found(&wanted, "6 1, 4 1, 6 2, 4 2, 4 3");
	assert_int_equal(world->fake.streams, 2);
	/* The control: by datagram there was one of each. */
	wanted = look_up(world, "both.test");
	assert_found(&wanted, "6 1, 4 1");
	assert_int_equal(world->fake.streams, 2);
}

static void forged_answers_are_not_taken(void **state)
{
	struct world *world = *state;
	struct wanted wanted = look_up(world, "forged.test");

	assert_found(&wanted, "6 1, 4 1");
	assert_int_equal(world->fake.asked[0], 1);
}

static void a_lost_question_is_asked_again(void **state)
{
	struct world *world = *state;
	uint64_t before = world->loop.now_ms;
	struct wanted wanted;

	start(world, &wanted, "lost.test");
	pass(world, 0);
	assert_int_equal(world->fake.asked[0], 1);
	pass(world, 2000);
	run(world);

	assert_found(&wanted, "6 1, 4 1");
	assert_int_equal(world->fake.asked[0], 2);
	assert_in_range(elapsed_ms(world, before), 2000, 2500);
}

static void who_is_silent_is_given_up(void **state)
{
	struct world *world = *state;
	uint64_t before = world->loop.now_ms;

	hurry(world);
	assert_int_equal(look_up(world, "silent.test").status, LOOKUP_FAILED);
	assert_int_equal(world->fake.asked[0], 3);
	assert_int_equal(world->fake.asked[1], 3);
	assert_in_range(elapsed_ms(world, before), 6000, 10000);
}

static void where_nobody_listens_it_fails_at_once(void **state)
{
	struct world *world = *state;
	uint64_t before = world->loop.now_ms;

	fake_close(&world->fake);
	assert_int_equal(look_up(world, "both.test").status, LOOKUP_FAILED);
	assert_in_range(elapsed_ms(world, before), 0, 500);
}

static void a_failing_server_is_asked_again(void **state)
{
	struct world *world = *state;
	struct wanted wanted = look_up(world, "busy.test");

	assert_found(&wanted, "6 1, 4 1");
	assert_int_equal(world->fake.asked[0], 2);
}

static void the_late_family_is_waited_for_shortly(void **state)
{
	struct world *world = *state;
	uint64_t before = world->loop.now_ms;
	struct wanted wanted = look_up(world, "late.test");

	assert_found(&wanted, "4 1");
	assert_in_range(elapsed_ms(world, before), 50, 500);
}

static void answers_are_kept_as_long_as_they_say(void **state)
{
	struct world *world = *state;
	struct wanted wanted = look_up(world, "both.test");

	assert_int_equal(look_up(world, "short.test").status, LOOKUP_FOUND);
	assert_int_equal(look_up(world, "none.test").status, LOOKUP_NO_NAME);
	assert_int_equal(world->fake.asked[0], 3);
	for (int i = 0; i < 3; i++) {
		wanted = look_up(world, "both.test");
		assert_found(&wanted, "6 1, 4 1");
		(void)look_up(world, "short.test");
		(void)look_up(world, "none.test");
	}
	assert_int_equal(world->fake.asked[0], 3);

	/* One second is the least for what says none, and for denials. */
	pass(world, 2000);
	(void)look_up(world, "both.test");
	assert_int_equal(world->fake.asked[0], 3);
	(void)look_up(world, "short.test");
	(void)look_up(world, "none.test");
	assert_int_equal(world->fake.asked[0], 5);
}

static void lookups_of_one_name_share_their_questions(void **state)
{
	struct world *world = *state;
	struct wanted wanted[5];

	for (int i = 0; i < 5; i++)
		start(world, &wanted[i], "both.test");
	run(world);
	for (int i = 0; i < 5; i++)
		assert_found(&wanted[i], "6 1, 4 1");
	assert_int_equal(world->fake.asked[0], 1);
	assert_int_equal(world->fake.asked[1], 1);
}

static void what_is_cancelled_is_not_told(void **state)
{
	struct world *world = *state;
	struct wanted wanted[3];

	for (int i = 0; i < 3; i++)
		start(world, &wanted[i], "both.test");
	lookup_cancel(world->resolver, &wanted[1].lookup);
	world->waiting--;
	run(world);
	assert_true(wanted[0].done);
	assert_false(wanted[1].done);
	assert_true(wanted[2].done);
	/* Once it is done, or twice, it is nothing. */
	lookup_cancel(world->resolver, &wanted[0].lookup);
	lookup_cancel(world->resolver, &wanted[1].lookup);

	/* The last one takes the questions with it, and the name can be
	 * asked for again. */
	start(world, &wanted[0], "many.test");
	lookup_cancel(world->resolver, &wanted[0].lookup);
	world->waiting--;
	pass(world, 0);
	assert_false(wanted[0].done);
	wanted[1] = look_up(world, "many.test");
	assert_found(&wanted[1], "6 1, 4 1, 6 2, 4 2, 4 3");
}

static void cancel_another(struct lookup *lookup, enum lookup_status status,
			   const struct address *v, size_t n)
{
	struct wanted *wanted = (struct wanted *)lookup;

	/* Whoever is told first. */
	lookup_cancel(wanted->world->resolver, &wanted[1].lookup);
	lookup_cancel(wanted->world->resolver, &wanted[-1].lookup);
	found(lookup, status, v, n);
}

static void one_that_is_told_can_cancel_another(void **state)
{
	struct world *world = *state;
	struct wanted wanted[4] = { 0 };

	start(world, &wanted[1], "both.test");
	start(world, &wanted[2], "both.test");
	wanted[1].lookup.done = wanted[2].lookup.done = cancel_another;
	world->waiting--;
	run(world);
	assert_int_equal(wanted[1].done + wanted[2].done, 1);
}

static void names_cost_and_the_budget_grows_again(void **state)
{
	struct world *world = *state;
	struct wanted *wanted = arena_array(&world->arena, struct wanted, 101);
	unsigned int refused = 0;

	for (int i = 0; i < 101; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "n%d.none.test", i);
		start(world, &wanted[i], name);
	}
	/* At once, without a question. */
	assert_true(wanted[100].done);
	run(world);
	for (int i = 0; i < 101; i++)
		refused += wanted[i].status == LOOKUP_BUDGET;
	assert_int_equal(refused, 1);
	assert_int_equal(world->fake.asked[0], 100);
	/* What is known is free. */
	assert_int_equal(look_up(world, "n7.none.test").status, LOOKUP_NO_NAME);
	pass(world, 1000);
	assert_int_equal(look_up(world, "both.test").status, LOOKUP_FOUND);
}

static void the_name_that_was_not_used_for_longest_gives_way(void **state)
{
	struct world *world = *state;
	struct wanted wanted;

	for (int i = 0; i < 256; i++) {
		char name[32];

		/* Within the time that answers are kept. */
		if (i == 90 || i == 180)
			pass(world, 10000);
		(void)snprintf(name, sizeof(name), "n%d.test", i);
		wanted = look_up(world, name);
		assert_found(&wanted, "6 1, 4 1");
	}
	(void)look_up(world, "n0.test");
	assert_int_equal(world->fake.asked[0], 256);
	wanted = look_up(world, "both.test");
	assert_found(&wanted, "6 1, 4 1");
	(void)look_up(world, "n0.test");
	(void)look_up(world, "n2.test");
	assert_int_equal(world->fake.asked[0], 257);
	(void)look_up(world, "n1.test");
	assert_int_equal(world->fake.asked[0], 258);
}

struct asked {
	struct query query;
	struct world *world;
	unsigned int n;
	bool failed;
};

static void query_done(struct query *query, const struct dns_reply *reply)
{
	struct asked *asked = query->owner;

	asked->n++;
	asked->failed = !reply;
	asked->world->loop.stop = true;
}

static void a_failing_server_is_followed_by_the_next(void **state)
{
	struct world *world = *state;
	struct asked asked = { .world = world };
	struct querier *querier = arena_array(&world->arena, struct querier, 1);
	struct servers servers;
	struct fake second;
	struct err err;

	fake_open(&second, &world->loop);
	servers_init(&servers);
	servers_add(&servers, &loopback, 0, world->fake.port);
	servers_add(&servers, &loopback, 0, second.port);
	querier_init(querier, &world->arena, &world->loop, &servers);
	world->fake.fails = true;
	asked.query.done = query_done;
	asked.query.owner = &asked;
	query_start(querier, &asked.query, "both.test", DNS_A);
	assert_int_equal(loop_run(&world->loop, &err), 0);
	assert_int_equal(asked.n, 1);
	assert_false(asked.failed);
	assert_int_equal(world->fake.asked[0], 1);
	assert_int_equal(second.asked[0], 1);

	/* Both fail: each is asked as often as it is to be. */
	second.fails = true;
	world->loop.stop = false;
	query_start(querier, &asked.query, "both.test", DNS_A);
	assert_int_equal(loop_run(&world->loop, &err), 0);
	assert_true(asked.failed);
	assert_int_equal(world->fake.asked[0], 1 + 3);
	assert_int_equal(second.asked[0], 1 + 3);
	fake_close(&second);
}

#define WORLD_TEST(f)                                                          \
	cmocka_unit_test_setup_teardown(f, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(both_families_are_found_in_turn),
		WORLD_TEST(an_alias_leads_to_its_address),
		WORLD_TEST(a_name_that_there_is_not_is_told_so),
		WORLD_TEST(a_cut_answer_is_asked_for_by_stream),
		WORLD_TEST(forged_answers_are_not_taken),
		WORLD_TEST(a_lost_question_is_asked_again),
		WORLD_TEST(who_is_silent_is_given_up),
		WORLD_TEST(where_nobody_listens_it_fails_at_once),
		WORLD_TEST(a_failing_server_is_asked_again),
		WORLD_TEST(a_failing_server_is_followed_by_the_next),
		WORLD_TEST(the_late_family_is_waited_for_shortly),
		WORLD_TEST(answers_are_kept_as_long_as_they_say),
		WORLD_TEST(lookups_of_one_name_share_their_questions),
		WORLD_TEST(what_is_cancelled_is_not_told),
		WORLD_TEST(one_that_is_told_can_cancel_another),
		WORLD_TEST(names_cost_and_the_budget_grows_again),
		WORLD_TEST(the_name_that_was_not_used_for_longest_gives_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
