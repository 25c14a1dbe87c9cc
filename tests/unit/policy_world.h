/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_TESTS_POLICY_WORLD_H
#define CORDON_TESTS_POLICY_WORLD_H

/*
 * A home made for a test of the loader. The system's own files are the host's.
 * Included after cmocka.h.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "host/policies.h"

/* A home with a project in it, and what is asked of the loader. */
struct world {
	struct arena arena;
	char *root;
	struct policy_context context;
	struct host_policy_request request;
	struct host_policy out;
	struct err err;
};

static inline const char *at(struct world *w, const char *name)
{
	return arena_printf(&w->arena, "%s/%s", w->root, name);
}

static inline void write_file(struct world *w, const char *name,
			      const char *text)
{
	const char *path = at(w, name);
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0644), 0);
}

static inline int set_up(void **state)
{
	static const char *const dirs[] = { "config", "config/profiles", "proj",
					    "proj/sub", "other" };
	struct world *w = calloc(1, sizeof(*w));
	char name[] = "/tmp/cordon-load-XXXXXX";

	if (!w || !mkdtemp(name))
		return -1;
	w->root = arena_strdup(&w->arena, name);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		if (mkdir(at(w, dirs[i]), 0755) < 0)
			return -1;
	}
	w->context.home = w->root;
	w->context.workdir = at(w, "proj/sub");
	w->context.config_dir = at(w, "config");
	w->context.xdg_config_home = w->root;
	w->context.xdg_state_home = w->root;
	w->context.xdg_cache_home = w->root;
	w->context.xdg_data_home = w->root;
	w->request.context = &w->context;
	unsetenv("CORDON_CONFIG");
	unsetenv("CORDON_SANDBOX");
	*state = w;
	return 0;
}

static inline int tear_down(void **state)
{
	struct world *w = *state;
	char *command = arena_printf(&w->arena, "rm -rf '%s'", w->root);
	int r = system(command);

	arena_free(&w->arena);
	free(w);
	return r;
}

static inline int load(struct world *w)
{
	return host_policy_load(&w->arena, &w->request, &w->out, &w->err);
}

static inline void loads(struct world *w)
{
	if (load(w) < 0)
		fail_msg("%s", w->err.msg);
}

static inline void refuses(struct world *w, const char *says)
{
	if (load(w) == 0)
		fail_msg("accepted, should say '%s'", says);
	if (!strstr(w->err.msg, says))
		fail_msg("'%s' does not say '%s'", w->err.msg, says);
}

static inline bool has(const struct policy_list *list, const char *text)
{
	for (size_t i = 0; i < list->n; i++) {
		if (!strcmp(list->v[i].text, text))
			return true;
	}
	return false;
}

#define WORLD_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
