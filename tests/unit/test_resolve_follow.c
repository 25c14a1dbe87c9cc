/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names follow the host's files: what the resolver does when they are replaced,
 * and what the supervisor sends of them, and when.
 */
#include <fcntl.h>
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
#include "base/fd.h"
#include "egress/egress.h"
#include "egress/hosts.h"
#include "egress/loop.h"
#include "egress/resolve.h"
#include "egress/servers.h"
#include "fake_dns.h"
#include "plan/egress.h"
#include "run/files.h"

/* Time passes faster when a test wants it to. */
static uint64_t ahead_ms;

int clock_gettime(clockid_t clock, struct timespec *out)
{
	long failed = syscall(SYS_clock_gettime, clock, out);

	out->tv_sec += (time_t)(ahead_ms / 1000);
	return (int)failed;
}

/* -- the resolver --------------------------------------------------------- */

struct world {
	struct arena arena;
	struct loop loop;
	struct fake old, new;
	struct plan_egress plan;
	struct resolver *resolver;
	struct timer_queue ticks;
	unsigned int used; /* how often it was said that the files are */
};

struct wanted {
	struct lookup lookup;
	struct world *world;
	bool done;
	enum lookup_status status;
	struct address first;
};

static const struct address loopback = {
	{ [10] = 0xff, [11] = 0xff, 127, 0, 0, 1 }
};

static void used(void *data)
{
	((struct world *)data)->used++;
}

static void replace(struct world *world, const char *text, uint16_t port)
{
	const struct hosts hosts = { text, strlen(text) };
	struct servers servers;

	servers_init(&servers);
	servers_add(&servers, &loopback, 0, port);
	resolver_replace(world->resolver, &hosts, &servers);
}

static int world_open(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	struct err err;

	assert_non_null(world);
	assert_int_equal(loop_init(&world->loop, &err), 0);
	fake_open(&world->old, &world->loop);
	fake_open(&world->new, &world->loop);
	world->resolver =
		resolver_new(&world->arena, &world->loop, &world->plan, &err);
	assert_non_null(world->resolver);
	resolver_on_use(world->resolver, used, world);
	replace(world, "192.0.2.3 known.test\n", world->old.port);
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
	replace(world, "", world->old.port);
	fake_close(&world->old);
	fake_close(&world->new);
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
	wanted->done = true;
	wanted->status = status;
	if (n)
		wanted->first = v[0];
	wanted->world->loop.stop = true;
}

static void start(struct world *world, struct wanted *wanted, const char *name)
{
	*wanted = (struct wanted){ .lookup.done = found, .world = world };
	lookup_start(world->resolver, &wanted->lookup, name);
}

static void run(struct world *world, const struct wanted *wanted)
{
	struct err err;

	world->loop.stop = wanted->done;
	assert_int_equal(loop_run(&world->loop, &err), 0);
	assert_true(wanted->done);
}

static struct wanted look_up(struct world *world, const char *name)
{
	struct wanted wanted;

	start(world, &wanted, name);
	run(world, &wanted);
	return wanted;
}

struct tick {
	struct timer timer;
	struct world *world;
};

static void tick(struct timer *timer)
{
	((struct tick *)timer)->world->loop.stop = true;
}

/* Later, with everything served that was there to serve. */
static void pass(struct world *world, uint64_t ms)
{
	struct tick end = { { .expired = tick }, world };
	struct err err;

	ahead_ms += ms;
	world->loop.stop = false;
	timer_start(&world->loop, &world->ticks, &end.timer);
	assert_int_equal(loop_run(&world->loop, &err), 0);
}

static void new_servers_are_asked_and_old_answers_forgotten(void **state)
{
	struct world *world = *state;

	assert_int_equal(look_up(world, "both.test").status, LOOKUP_FOUND);
	/* The control: it would be kept. */
	assert_int_equal(look_up(world, "both.test").status, LOOKUP_FOUND);
	assert_int_equal(world->old.asked[0], 1);

	replace(world, "", world->new.port);
	assert_int_equal(look_up(world, "both.test").status, LOOKUP_FOUND);
	assert_int_equal(world->old.asked[0], 1);
	assert_int_equal(world->new.asked[0], 1);
}

static void new_hosts_take_the_place_of_the_old(void **state)
{
	struct world *world = *state;
	struct wanted wanted = look_up(world, "known.test");

	assert_int_equal(wanted.first.v[15], 3);
	replace(world, "192.0.2.7 known.test\n", world->old.port);
	wanted = look_up(world, "known.test");
	assert_int_equal(wanted.first.v[15], 7);
	assert_int_equal(world->old.asked[0], 0);
	replace(world, "", world->old.port);
	wanted = look_up(world, "known.test");
	assert_int_equal(world->old.asked[0], 1);
}

static void what_is_on_its_way_ends_with_the_old_and_is_not_kept(void **state)
{
	struct world *world = *state;
	struct wanted wanted;

	start(world, &wanted, "both.test");
	replace(world, "", world->new.port);
	run(world, &wanted);
	assert_int_equal(wanted.status, LOOKUP_FOUND);
	assert_int_equal(world->old.asked[0], 1);
	assert_int_equal(world->new.asked[0], 0);
	(void)look_up(world, "both.test");
	assert_int_equal(world->new.asked[0], 1);
}

static void what_nobody_answered_begins_again(void **state)
{
	struct world *world = *state;
	struct wanted servers, hosts, control;

	/* It lets every question lie. */
	assert_int_equal(source_watch(&world->loop, &world->old.udp, 0), 0);
	start(world, &control, "both.test");
	for (int i = 0; i < 3; i++)
		pass(world, 3000);
	assert_true(control.done);
	assert_int_equal(control.status, LOOKUP_FAILED);
	pass(world, 2000);

	start(world, &servers, "both.test");
	start(world, &hosts, "known2.test");
	pass(world, 0);
	replace(world, "192.0.2.9 known2.test\n", world->new.port);
	for (int i = 0; i < 3; i++)
		pass(world, 3000);
	run(world, &servers);
	assert_int_equal(servers.status, LOOKUP_FOUND);
	assert_int_equal(world->new.asked[0], 1);
	assert_true(hosts.done);
	assert_int_equal(hosts.first.v[15], 9);

	/* Once: the next ones are no better. */
	replace(world, "", world->old.port);
	start(world, &control, "both.test");
	fake_close(&world->new);
	replace(world, "", world->new.port);
	for (int i = 0; i < 3; i++)
		pass(world, 3000);
	run(world, &control);
	assert_int_equal(control.status, LOOKUP_FAILED);
}

static void a_shorter_timeout_does_not_wait_for_a_longer(void **state)
{
	struct world *world = *state;
	struct servers servers;
	struct wanted late, soon;

	assert_int_equal(source_watch(&world->loop, &world->old.udp, 0), 0);
	servers_init(&servers);
	servers_add(&servers, &loopback, 0, world->old.port);
	servers.timeout_s = 5;
	servers.attempts = 1;
	resolver_replace(world->resolver, &(struct hosts){ .n = 0 }, &servers);
	start(world, &late, "both.test");
	servers.timeout_s = 1;
	resolver_replace(world->resolver, &(struct hosts){ .n = 0 }, &servers);
	start(world, &soon, "many.test");
	pass(world, 2000);
	assert_true(soon.done);
	assert_false(late.done);
	lookup_cancel(world->resolver, &late.lookup);
}

static void use_is_told_every_three_seconds_at_most(void **state)
{
	struct world *world = *state;

	(void)look_up(world, "both.test");
	assert_int_equal(world->used, 0);
	pass(world, 3000);
	/* An answer that is kept uses nothing. */
	(void)look_up(world, "both.test");
	assert_int_equal(world->used, 0);
	(void)look_up(world, "many.test");
	assert_int_equal(world->used, 1);
	(void)look_up(world, "four.test");
	pass(world, 2000);
	(void)look_up(world, "none.test");
	assert_int_equal(world->used, 1);
	pass(world, 1000);
	(void)look_up(world, "known.test");
	assert_int_equal(world->used, 2);
}

static void with_a_resolver_no_file_is_used(void **state)
{
	struct world *world = *state;
	struct err err;

	world->plan.resolver = (struct egress_endpoint){
		.set = true,
		.host = { .is_address = true,
			  .address = loopback,
			  .port = world->old.port },
	};
	replace(world, "", world->old.port);
	world->resolver =
		resolver_new(&world->arena, &world->loop, &world->plan, &err);
	assert_non_null(world->resolver);
	resolver_on_use(world->resolver, used, world);
	pass(world, 4000);
	assert_int_equal(look_up(world, "both.test").status, LOOKUP_FOUND);
	assert_int_equal(world->used, 0);
}

/* -- the supervisor ------------------------------------------------------- */

struct place {
	char dir[32];
	char hosts[64], servers[64];
	struct run_files files;
	int pair[2]; /* supervisor, egress */
};

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	(void)close(fd);
}

static int place_open(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	strcpy(place->dir, "/tmp/cordon-files-XXXXXX");
	assert_non_null(mkdtemp(place->dir));
	(void)snprintf(place->hosts, sizeof(place->hosts), "%s/hosts",
		       place->dir);
	(void)snprintf(place->servers, sizeof(place->servers), "%s/resolv",
		       place->dir);
	put(place->hosts, "192.0.2.1 a.test\n");
	put(place->servers, "nameserver 192.0.2.53\n");
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, place->pair),
			 0);
	run_files_init(&place->files, place->hosts, place->servers);
	*state = place;
	return 0;
}

static int place_close(void **state)
{
	struct place *place = *state;

	(void)unlink(place->hosts);
	(void)unlink(place->servers);
	(void)rmdir(place->dir);
	(void)close(place->pair[0]);
	(void)close(place->pair[1]);
	free(place);
	return 0;
}

/* Asks as egress does, a while after it last did. */
static void ask(struct place *place, uint32_t has)
{
	ahead_ms += 2000;
	run_files_renew(&place->files, place->pair[0], has);
}

static bool receive(struct place *place, struct egress_files *out, char *text)
{
	AUTO_CLOSE int fd = -1;
	size_t fds = 1;
	ssize_t n;

	(void)fcntl(place->pair[1], F_SETFL, O_NONBLOCK);
	n = fd_recv(place->pair[1], out, sizeof(*out), &fd, &fds);
	if (n < 0)
		return false;
	assert_int_equal(n, sizeof(*out));
	assert_int_equal(fds, 1);
	assert_int_equal(out->kind, EGRESS_FILES);
	n = fd_read_all(fd, text, 99);
	assert_int_equal(n, out->hosts_n);
	text[n] = '\0';
	/* Whoever gets it cannot use it to keep anything. */
	assert_int_equal(write(fd, "x", 1), -1);
	return true;
}

static void only_changed_files_are_sent(void **state)
{
	struct place *place = *state;
	struct egress_files got;
	char text[100];

	ask(place, 0);
	assert_false(receive(place, &got, text));

	put(place->servers, "nameserver 192.0.2.99\noptions timeout:4\n");
	ask(place, 0);
	assert_true(receive(place, &got, text));
	assert_string_equal(text, "192.0.2.1 a.test\n");
	assert_int_equal(got.files, 1);
	assert_int_equal(got.servers.n, 1);
	assert_int_equal(got.servers.timeout_s, 4);
	assert_memory_equal(&got.servers.v[0].v4.sin_addr, "\xc0\0\2\x63", 4);
	ask(place, 1);
	assert_false(receive(place, &got, text));

	put(place->hosts, "");
	ask(place, 1);
	assert_true(receive(place, &got, text));
	assert_string_equal(text, "");
	assert_int_equal(got.files, 2);
}

static void a_file_that_is_gone_is_empty_until_it_is_back(void **state)
{
	struct place *place = *state;
	struct egress_files got;
	char text[100];

	assert_int_equal(unlink(place->hosts), 0);
	assert_int_equal(unlink(place->servers), 0);
	ask(place, 0);
	assert_true(receive(place, &got, text));
	assert_string_equal(text, "");
	assert_memory_equal(&got.servers.v[0].v4.sin_addr, "\x7f\0\0\1", 4);
	ask(place, 1);
	assert_false(receive(place, &got, text));
	put(place->hosts, "192.0.2.1 a.test\n");
	ask(place, 1);
	assert_true(receive(place, &got, text));
	assert_string_equal(text, "192.0.2.1 a.test\n");
}

static void what_did_not_arrive_is_sent_again(void **state)
{
	struct place *place = *state;
	struct egress_files got;
	char text[100];

	put(place->servers, "nameserver 192.0.2.9\n");
	ask(place, 0);
	assert_true(receive(place, &got, text));
	/* It says that it still has what it had. */
	ask(place, 0);
	assert_true(receive(place, &got, text));
	assert_int_equal(got.files, 2);
	ask(place, 2);
	assert_false(receive(place, &got, text));
}

static void nobody_waits_for_one_that_does_not_listen(void **state)
{
	struct place *place = *state;
	struct egress_files got;
	char text[100], full[1000] = "";

	while (send(place->pair[0], full, sizeof(full), MSG_DONTWAIT) > 0)
		;
	put(place->servers, "nameserver 192.0.2.9\n");
	alarm(10);
	ask(place, 0);
	alarm(0);
	while (recv(place->pair[1], full, sizeof(full), MSG_DONTWAIT) > 0)
		assert_int_equal(full[0], 0);
	ask(place, 0);
	assert_true(receive(place, &got, text));
	assert_int_equal(got.files, 1);
}

static void one_that_asks_all_the_time_is_not_heard(void **state)
{
	struct place *place = *state;
	struct egress_files got;
	char text[100];

	ask(place, 0);
	put(place->servers, "nameserver 192.0.2.9\n");
	for (int i = 0; i < 100; i++)
		run_files_renew(&place->files, place->pair[0], 0);
	assert_false(receive(place, &got, text));
	ask(place, 0);
	assert_true(receive(place, &got, text));
}

static void where_none_are_used_none_are_sent(void **state)
{
	struct place *place = *state;
	struct egress_files got;
	char text[100];

	place->files = (struct run_files){ 0 };
	ask(place, 7);
	assert_false(receive(place, &got, text));
}

#define WORLD_TEST(f)                                                          \
	cmocka_unit_test_setup_teardown(f, world_open, world_close)
#define PLACE_TEST(f)                                                          \
	cmocka_unit_test_setup_teardown(f, place_open, place_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(new_servers_are_asked_and_old_answers_forgotten),
		WORLD_TEST(new_hosts_take_the_place_of_the_old),
		WORLD_TEST(
			what_is_on_its_way_ends_with_the_old_and_is_not_kept),
		WORLD_TEST(what_nobody_answered_begins_again),
		WORLD_TEST(a_shorter_timeout_does_not_wait_for_a_longer),
		WORLD_TEST(use_is_told_every_three_seconds_at_most),
		WORLD_TEST(with_a_resolver_no_file_is_used),
		PLACE_TEST(only_changed_files_are_sent),
		PLACE_TEST(a_file_that_is_gone_is_empty_until_it_is_back),
		PLACE_TEST(what_did_not_arrive_is_sent_again),
		PLACE_TEST(nobody_waits_for_one_that_does_not_listen),
		PLACE_TEST(one_that_asks_all_the_time_is_not_heard),
		PLACE_TEST(where_none_are_used_none_are_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
