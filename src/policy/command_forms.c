/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/command_forms.c - what is known of the command lines of programs
 *
 * Runs in:  the guard for every execution that is judged; whoever explains.
 * Trusts:   nothing in an argument.
 * Must not: allocate, or call the kernel.
 *
 * Options that stand in no list here are read both ways, so a list that lacks
 * one denies too much and never too little.
 */
#include "policy/command_forms.h"

#include <string.h>

#include "policy/command.h"

/* Options before the sub-command; lists of words between blanks. */
struct program {
	const char *names;
	const char *values; /* the next word is their value */
	const char *flags; /* they stand alone */
	bool toolchain; /* +NAME may come first */
};

static const struct program programs[] = {
	{ .names = "git",
	  .values = "-C -c --git-dir --work-tree --namespace --config-env "
		    "--super-prefix --attr-source --list-cmds",
	  .flags = "-p --paginate -P --no-pager --no-replace-objects --bare "
		   "--no-lazy-fetch --no-optional-locks --no-advice "
		   "--literal-pathspecs --glob-pathspecs --noglob-pathspecs "
		   "--icase-pathspecs --exec-path --html-path --man-path "
		   "--info-path -v --version -h --help" },
	{ .names = "kubectl oc",
	  .values = "-n --namespace --context --cluster --kubeconfig --user "
		    "-s --server --token --as --as-group --as-uid "
		    "--as-user-extra --cache-dir --certificate-authority "
		    "--client-certificate --client-key --kuberc --log-file "
		    "--log-dir --password --profile --profile-output "
		    "--request-timeout --tls-server-name --username -v --v "
		    "--vmodule",
	  .flags = "--insecure-skip-tls-verify --match-server-version "
		   "--warnings-as-errors --disable-compression "
		   "--alsologtostderr --logtostderr -h --help" },
	{ .names = "docker podman nerdctl",
	  .values = "-H --host -c --context -l --log-level --config "
		    "--tlscacert --tlscert --tlskey --url --connection "
		    "--identity --root --runroot --storage-driver "
		    "--storage-opt --runtime --namespace -n --address -a "
		    "--cgroup-manager --conmon --events-backend --hooks-dir "
		    "--imagestore --log-opt --module --network-cmd-path "
		    "--network-config-dir --out --ssh --tmpdir --volumepath",
	  .flags = "-D --debug --tls --tlsverify -v --version -h --help -r "
		   "--remote --noout --syslog --transient-store" },
	{ .names = "docker-compose podman-compose",
	  .values = "-f --file -p --project-name --profile --env-file "
		    "--project-directory --parallel --ansi --progress -H "
		    "--host -c --context --log-level --tlscacert --tlscert "
		    "--tlskey",
	  .flags = "--all-resources --compatibility --dry-run --verbose "
		   "--tls --tlsverify --no-ansi -v --version -h --help" },
	{ .names = "npm pnpm npx pnpx",
	  .values = "--prefix --registry --userconfig --globalconfig --cache "
		    "--loglevel --otp --tag --access -w --workspace "
		    "--script-shell --node-options --proxy --https-proxy "
		    "-C --dir --filter -F --reporter --store-dir "
		    "--lockfile-dir --virtual-store-dir --modules-dir",
	  .flags = "-g --global -s --silent -q --quiet -d -dd -ddd --verbose "
		   "-y --yes -f --force --json --dry-run --offline "
		   "--prefer-offline --ignore-scripts --no-audit --no-fund "
		   "--no-color --color --workspaces -ws "
		   "--include-workspace-root --long -l --parseable -r "
		   "--recursive --stream --parallel --frozen-lockfile -v "
		   "--version -h --help" },
	{ .names = "yarn yarnpkg",
	  .values = "--cwd --registry --cache-folder --modules-folder "
		    "--mutex --use-yarnrc --network-timeout "
		    "--network-concurrency --otp --proxy --https-proxy "
		    "--preferred-cache-folder --link-folder "
		    "--global-folder",
	  .flags = "-s --silent --verbose --offline --prefer-offline "
		   "--ignore-scripts --ignore-engines --ignore-platform "
		   "--ignore-optional --json --no-lockfile "
		   "--pure-lockfile --frozen-lockfile --non-interactive "
		   "--no-progress --no-default-rc --production --prod "
		   "--force --flat -v --version -h --help" },
	{ .names = "cargo",
	  .values = "--color -C --config -Z --explain",
	  .flags = "-V --version --list -v -vv --verbose -q --quiet "
		   "--frozen --locked --offline -h --help",
	  .toolchain = true },
	{ .names = "rustup",
	  .flags = "-v --verbose -q --quiet -V --version -h --help",
	  .toolchain = true },
	{ .names = "gh glab",
	  .values = "-R --repo --hostname --group -g",
	  .flags = "--version --help -h -v" },
	{ .names = "helm",
	  .values = "-n --namespace --kube-context --kubeconfig "
		    "--kube-apiserver --kube-as-group --kube-as-user "
		    "--kube-ca-file --kube-tls-server-name --kube-token "
		    "--registry-config --repository-cache "
		    "--repository-config --burst-limit --qps "
		    "--content-cache --color --colour",
	  .flags = "--debug --kube-insecure-skip-tls-verify -h --help" },
	{ .names = "systemctl loginctl machinectl networkctl timedatectl",
	  .values = "-t --type --state -p --property -P -H --host -M "
		    "--machine -s --signal -n --lines -o --output "
		    "--job-mode --kill-whom --kill-who --kill-value --root "
		    "--image --image-policy --preset-mode --what "
		    "--check-inhibitors --message --timestamp --mkdir "
		    "--legend --when --drop-in",
	  .flags = "--user --system --global -a --all -l --full -q --quiet "
		   "-r --recursive --no-pager --no-legend --no-block "
		   "--no-wall --no-reload --no-ask-password --now "
		   "--runtime --failed --reverse --after --before "
		   "--dry-run -f --force -i --value --plain --wait "
		   "--show-types --show-transaction --no-warn -T -h --help "
		   "--version" },
	{ .names = "terraform tofu terragrunt",
	  .flags = "-version -help -h --version --help" },
	{ .names = "aws",
	  .values = "--endpoint-url --output --query --profile --region "
		    "--color --ca-bundle --cli-read-timeout "
		    "--cli-connect-timeout --cli-binary-format",
	  .flags = "--debug --no-verify-ssl --no-paginate "
		   "--no-sign-request --no-cli-pager --cli-auto-prompt "
		   "--no-cli-auto-prompt --version" },
	{ .names = "gcloud gsutil bq",
	  .values = "--account --billing-project --configuration "
		    "--flags-file --flatten --format --project --verbosity "
		    "--impersonate-service-account --access-token-file "
		    "--trace-token -h -i -o -u",
	  .flags = "-q --quiet --log-http --user-output-enabled "
		   "--no-user-output-enabled -m -D -DD --help --version "
		   "-v" },
	{ .names = "az",
	  .values = "-o --output --query --subscription",
	  .flags = "--debug --verbose --only-show-errors -h --help "
		   "--version -v" },
	{ .names = "apt apt-get aptitude apt-cache apt-mark",
	  .values = "-o --option -c --config-file -t --target-release "
		    "--default-release -a --host-architecture -P "
		    "--build-profiles --color -w --width -F "
		    "--display-format",
	  .flags = "-y --yes --assume-yes --assume-no -q -qq --quiet -s "
		   "--simulate --dry-run --just-print -d --download-only "
		   "-f --fix-broken -m --fix-missing -u -V "
		   "--verbose-versions --no-install-recommends "
		   "--install-recommends --reinstall --purge -h --help -v "
		   "--version" },
	{ .names = "dnf yum zypper",
	  .values = "-c --config --releasever --setopt --enablerepo "
		    "--disablerepo --repo --repoid -x --exclude "
		    "--installroot -d --debuglevel -e --errorlevel -R "
		    "--root --reposd-dir --cache-dir --plus-repo "
		    "--comment --forcearch",
	  .flags = "-y --assumeyes --assumeno -q --quiet -v --verbose -C "
		   "--cacheonly --refresh -n --non-interactive "
		   "--no-gpg-checks --nogpgcheck -b --best -h --help "
		   "--version" },
	{ .names = "pip pip3 uv",
	  .values = "--python --log --proxy --retries --timeout "
		    "--exists-action --trusted-host --cert --client-cert "
		    "--cache-dir --use-feature --use-deprecated "
		    "--keyring-provider -p --directory --project "
		    "--config-file --color --allow-insecure-host",
	  .flags = "-h --help --debug --isolated --require-virtualenv -v "
		   "-vv -vvv --verbose -V --version -q -qq --quiet "
		   "--no-input --no-cache-dir --no-cache -n "
		   "--disable-pip-version-check --no-color "
		   "--no-python-version-warning --offline --no-config" },
	{ .names = "poetry pdm hatch pipenv",
	  .values = "-C --directory -P --project -c --config -e --env "
		    "--data-dir --cache-dir --python",
	  .flags = "-q --quiet -v -vv -vvv --verbose -n --no-interaction "
		   "--ansi --no-ansi --no-plugins --no-cache --color "
		   "--no-color --interactive --no-interactive -V "
		   "--version -h --help" },
	{ .names = "go", .values = "-C", .flags = "-h -help --help" },
	{ .names = "twine", .flags = "--no-color --version -h --help" },
	{ .names = "gem bundle bundler",
	  .values = "-C --config-file -r --retry",
	  .flags = "-v --version -h --help --no-color --verbose -V" },
	{ .names = "mvn mvnw",
	  .values = "-f --file -s --settings -gs --global-settings -pl "
		    "--projects -P --activate-profiles -rf --resume-from "
		    "-T --threads -l --log-file -D --define -t "
		    "--toolchains",
	  .flags = "-B --batch-mode -o --offline -q --quiet -X --debug -e "
		   "--errors -U --update-snapshots -N --non-recursive -am "
		   "--also-make -amd -ntp --no-transfer-progress -fae "
		   "-ff -fn -nsu -v --version -V -h --help" },
	{ .names = "ip",
	  .values = "-n -netns --netns -b -batch -f -family -l -loops "
		    "-rc -rcvbuf",
	  .flags = "-4 -6 -0 -B -M -s -stats -d -details -j -json -p "
		   "-pretty -o -oneline -r -resolve -t -timestamp -ts "
		   "-a -all -c -color -br -brief -N -force -V" },
	{ .names = "vault consul nomad",
	  .values = "",
	  .flags = "-h -help --help -v -version --version" },
	{ .names = "flyctl fly heroku vercel netlify wrangler",
	  .values = "-a --app -t --access-token --token --cwd -S --scope "
		    "-A --local-config --global-config -Q -c --config -r "
		    "--remote --org -o --auth --filter -e --env",
	  .flags = "-h --help -v --version --debug -d --verbose -j "
		   "--json" },
};

/* Programs whose options are names after one '-'. */
static const char single_dash[] =
	"find java javac terraform tofu terragrunt go gcc g++ cc c++ clang "
	"clang++ ld openssl ffmpeg convert magick mvn mvnw ip vault consul "
	"nomad X Xorg xterm dotnet qemu-system-x86_64";

static const char multicalls[] =
	"busybox busybox.static busybox-static busybox-suid busybox.suid "
	"busybox.nosuid toybox coreutils gnu-coreutils gnucoreutils uutils "
	"uu-coreutils uutils-coreutils rust-coreutils coreutils-static "
	"sbase-box ubase-box coreutils.single coreutils-single rustup "
	"volta-shim";

static bool list_has(const char *list, const char *word)
{
	size_t n = strchr(word, ' ') ? 0 : strlen(word);

	for (const char *p = list; n && (p = strstr(p, word)); p += n) {
		if ((p == list || p[-1] == ' ') &&
		    (p[n] == ' ' || p[n] == '\0'))
			return true;
	}
	return false;
}

const char *command_base_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

bool command_is_multicall(const char *name)
{
	return list_has(multicalls, command_base_name(name));
}

static const struct program *program_find(const char *name)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		if (list_has(programs[i].names, name))
			return &programs[i];
	}
	return NULL;
}

static bool short_is(const char *list, char letter)
{
	const char word[] = { '-', letter, '\0' };

	return list && list_has(list, word);
}

/* `-qn X`: letters of options that stand alone, and perhaps one with a value,
 * which is the rest of the word or the next. */
static enum command_option bundle_find(const struct program *program,
				       const char *word)
{
	for (const char *p = word + 1; *p; p++) {
		if (short_is(program->values, *p))
			return p[1] ? COMMAND_OPTION_FLAG
				    : COMMAND_OPTION_VALUE;
		if (!short_is(program->flags, *p))
			return COMMAND_OPTION_UNKNOWN;
	}
	return COMMAND_OPTION_FLAG;
}

enum command_option command_option_find(const char *program, const char *word)
{
	const struct program *known = program_find(program);

	if (strchr(word, '='))
		return COMMAND_OPTION_FLAG;
	if (!known)
		return COMMAND_OPTION_UNKNOWN;
	if (known->values && list_has(known->values, word))
		return COMMAND_OPTION_VALUE;
	if (known->flags && list_has(known->flags, word))
		return COMMAND_OPTION_FLAG;
	if (word[1] == '-' || list_has(single_dash, program))
		return COMMAND_OPTION_UNKNOWN;
	return bundle_find(known, word);
}

bool command_is_toolchain(const char *program, const char *word)
{
	const struct program *known;

	if (word[0] != '+' || !word[1])
		return false;
	known = program_find(program);
	return known && known->toolchain;
}

static bool is_letters(const char *s)
{
	for (; *s; s++) {
		if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
		      (*s >= '0' && *s <= '9')))
			return false;
	}
	return true;
}

bool command_bundles(const char *program, const char *word)
{
	/* More letters than that are rather a name, where nothing is known. */
	enum { LETTERS = 4 };
	size_t n = strlen(word);

	if (n < 2 || word[0] != '-' || word[1] == '-' ||
	    !is_letters(word + 1) || list_has(single_dash, program))
		return false;
	return n - 1 <= LETTERS || program_find(program);
}

bool command_is_loader(const char *name)
{
	const char *base = command_base_name(name);

	if (!strcmp(base, "ld.so"))
		return true;
	return !strncmp(base, "ld-", 3) &&
	       (strstr(base, ".so") || !strncmp(base, "ld-musl-", 8));
}

size_t command_loader_file(const char *const *argv, size_t argc,
			   const char **argv0)
{
	static const char values[] = "--library-path --preload --argv0 "
				     "--inhibit-rpath --audit "
				     "--glibc-hwcaps-prepend "
				     "--glibc-hwcaps-mask";
	size_t i = 1;

	*argv0 = NULL;
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!strncmp(argv[i], "--argv0=", 8))
			*argv0 = argv[i] + 8;
		if (!list_has(values, argv[i]))
			continue;
		if (!strcmp(argv[i], "--argv0") && i + 1 < argc)
			*argv0 = argv[i + 1];
		i++;
	}
	return i < argc ? i : argc;
}
