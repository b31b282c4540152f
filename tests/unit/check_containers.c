/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Containers: paths of control groups as each runtime makes them, and the files in which it keeps names. */
#include "resolve/containers.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/host_fixture.h"
#include "resolve/container_group.h"
#include "resolve/host_mounts.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define INNER "f123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define UID "1a2b3c4d-0000-1111-2222-333344445555"
#define UID_ "1a2b3c4d_0000_1111_2222_333344445555"

static const struct {
	const char *cgroup;
	enum container_kind kind;
	const char *name, *pod;
	uint32_t uid;
	const char *behind; /* of its own group */
} groups[] = {
	{ "/", CONTAINER_NONE, "", "", 0, "" },
	{ "", CONTAINER_NONE, "", "", 0, "" },
	{ "/system.slice/ssh.service", CONTAINER_NONE, "", "", 0, "" },
	{ "/user.slice/user-1000.slice/session-3.scope", CONTAINER_NONE, "", "", 0, "" },
	{ "/docker/" ID "0", CONTAINER_NONE, "", "", 0, "" },
	/* Docker: cgroupfs, systemd, rootless, one in another */
	{ "/docker/" ID, CONTAINER_DOCKER, ID, "", 0, "" },
	{ "/system.slice/docker-" ID ".scope", CONTAINER_DOCKER, ID, "", 0, "" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" ID ".scope",
	  CONTAINER_DOCKER, ID, "", 1000, "" },
	{ "/docker/" ID "/docker/" INNER "/init", CONTAINER_DOCKER, INNER, "", 0, "/init" },
	{ "/../../docker/" ID, CONTAINER_DOCKER, ID, "", 0, "" },
	/* Kubernetes: cgroupfs and systemd, version 1 and 2, guaranteed pods, kind */
	{ "/kubepods/burstable/pod" UID "/" ID, CONTAINER_ANY, ID, UID, 0, "" },
	{ "/kubepods/pod" UID "/crio-" ID, CONTAINER_CRIO, ID, UID, 0, "" },
	{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_
	  ".slice/cri-containerd-" ID ".scope",
	  CONTAINER_CONTAINERD, ID, UID, 0, "" },
	{ "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope", CONTAINER_CRIO, ID, UID,
	  0, "" },
	{ "/kubepods.slice/kubepods-pod" UID_ ".slice/docker-" ID ".scope", CONTAINER_DOCKER, ID,
	  UID, 0, "" },
	{ "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" UID_
	  ".slice/cri-containerd-" ID ".scope",
	  CONTAINER_CONTAINERD, ID, UID, 0, "" },
	{ "/kubepods.slice/kubepods-pod" UID_ ".slice", CONTAINER_NONE, "", "", 0, "" },
	{ "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-conmon-" ID ".scope", CONTAINER_NONE, "",
	  "", 0, "" },
	/* containerd without Kubernetes */
	{ "/system.slice/nerdctl-" ID ".scope", CONTAINER_CONTAINERD, ID, "", 0, "" },
	{ "/default/" ID, CONTAINER_ANY, ID, "", 0, "" },
	/* podman: systemd, cgroupfs, rootless, in a pod; what watches it is not in it */
	{ "/machine.slice/libpod-" ID ".scope/container", CONTAINER_PODMAN, ID, "", 0,
	  "/container" },
	{ "/libpod_parent/libpod-" ID, CONTAINER_PODMAN, ID, "", 0, "" },
	{ "/machine.slice/libpod-conmon-" ID ".scope", CONTAINER_NONE, "", "", 0, "" },
	{ "/libpod_parent/conmon", CONTAINER_NONE, "", "", 0, "" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope/container",
	  CONTAINER_PODMAN, ID, "", 1000, "/container" },
	{ "/machine.slice/machine-libpod_pod_" INNER ".slice/libpod-" ID ".scope", CONTAINER_PODMAN,
	  ID, INNER, 0, "" },
	{ "/libpod_parent/" INNER "/libpod-" ID, CONTAINER_PODMAN, ID, INNER, 0, "" },
	/* LXC, LXD, systemd-nspawn */
	{ "/lxc.payload.web01/system.slice/x.service", CONTAINER_NAMED, "web01", "", 0,
	  "/system.slice/x.service" },
	{ "/lxc.payload/web01", CONTAINER_NAMED, "web01", "", 0, "" },
	{ "/lxc/web02", CONTAINER_NAMED, "web02", "", 0, "" },
	{ "/lxc.monitor.web01", CONTAINER_NONE, "", "", 0, "" },
	{ "/machine.slice/machine-web03.scope/payload", CONTAINER_NAMED, "web03", "", 0,
	  "/payload" },
	{ "/machine.slice/machine-a\\x2db.scope", CONTAINER_NAMED, "a-b", "", 0, "" },
	{ "/machine.slice/systemd-nspawn@web04.service/payload", CONTAINER_NAMED, "web04", "", 0,
	  "/payload" },
	/* a virtual machine */
	{ "/machine.slice/machine-qemu\\x2d1\\x2dvm.scope", CONTAINER_NONE, "", "", 0, "" },
	{ "/lxc.payload.web01/docker/" ID, CONTAINER_DOCKER, ID, "", 0, "" },
};

START_TEST(a_container_is_known_by_its_group)
{
	struct container_path path;

	container_path_parse(groups[_i].cgroup, &path);
	ck_assert_int_eq(path.kind, groups[_i].kind);
	ck_assert_str_eq(path.name, groups[_i].name);
	ck_assert_str_eq(path.pod, groups[_i].pod);
	ck_assert_uint_eq(path.uid, groups[_i].uid);
	if (path.kind != CONTAINER_NONE)
		ck_assert_str_eq(groups[_i].cgroup + path.own, groups[_i].behind);
}
END_TEST

START_TEST(a_name_that_is_too_long_is_cut)
{
	char group[2048];
	struct container_path path;

	strcpy(group, "/lxc/");
	memset(group + 5, 'x', 1500);
	group[1505] = '\0';
	container_path_parse(group, &path);
	ck_assert_uint_eq(strlen(path.name), sizeof(path.name) - 1);
	ck_assert_uint_eq(path.own, 1505);
}
END_TEST

static const struct {
	const char *file;
	const char *path;
	uint32_t hierarchy;
} files[] = {
	{ "0::/a\n", "/a", 0 },
	{ "0::/\n", "/", 0 },
	{ "12:memory:/docker/x\n1:name=systemd:/y\n", "/docker/x", 12 },
	{ "12:memory:/\n1:name=systemd:/y\n", "/y", 1 },
	{ "12:memory:/v1\n0::/v2\n", "/v2", 0 },
	{ "12:memory:/v1\n0::/\n", "/v1", 12 },
	{ "4:cpu,cpuacct:/a:b\n", "/a:b", 4 },
	{ "12:memory:/docker/" ID "\n0::/init.scope\n", "/docker/" ID, 12 },
	{ "nonsense\n", "", 0 },
	{ "", "", 0 },
};

START_TEST(the_control_group_is_the_one_that_says_most)
{
	char text[512], out[256];

	snprintf(text, sizeof(text), "%s", files[_i].file);
	ck_assert_uint_eq(containers_group(text, out, sizeof(out)), files[_i].hierarchy);
	ck_assert_str_eq(out, files[_i].path);
}
END_TEST

/* ---- files of runtimes ---- */

static char *root;

static void setup(void)
{
	root = fixture_make();
}

static void teardown(void)
{
	fixture_remove(root);
}

static void shows(const char *cgroup, const char *name, const char *pod, const char *image)
{
	struct containers *containers = containers_open(root);
	const struct container *c = containers_find(containers, cgroup);

	ck_assert(c && c->name);
	ck_assert_str_eq(c->name->raw, name);
	ck_assert_str_eq(c->pod ? c->pod->raw : "", pod);
	ck_assert_str_eq(c->image ? c->image->raw : "", image);
	containers_close(containers);
}

START_TEST(docker)
{
	fixture_write(root, "var/lib/docker/containers/" ID "/config.v2.json",
		      "{\"ID\":\"" ID "\",\"Name\":\"/web\",\"Config\":{\"Image\":\"nginx:1.25\","
		      "\"Labels\":{}}}");
	shows("/docker/" ID, "web", "", "nginx:1.25");
	shows("/system.slice/docker-" ID ".scope/sub", "web", "", "nginx:1.25");
}
END_TEST

START_TEST(docker_with_its_data_elsewhere)
{
	fixture_write(root, "etc/docker/daemon.json", "{\"data-root\":\"/srv/docker\"}");
	fixture_write(root, "srv/docker/containers/" ID "/config.v2.json",
		      "{\"Name\":\"/db\",\"Config\":{\"Image\":\"postgres\"}}");
	shows("/docker/" ID, "db", "", "postgres");
}
END_TEST

START_TEST(docker_of_a_user)
{
	fixture_write(root, "etc/passwd",
		      "root:x:0:0::/root:/bin/sh\nann:x:1000:1000:Ann:/home/ann:/bin/sh\n");
	fixture_write(root, "home/ann/.local/share/docker/containers/" ID "/config.v2.json",
		      "{\"Name\":\"/own\",\"Config\":{\"Image\":\"busybox\"}}");
	shows("/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" ID ".scope", "own",
	      "", "busybox");
}
END_TEST

START_TEST(docker_under_kubernetes)
{
	fixture_write(root, "var/lib/docker/containers/" ID "/config.v2.json",
		      "{\"Name\":\"/k8s_app_web-0_shop_" UID "_0\",\"Config\":{\"Image\":\"a@sha\","
		      "\"Labels\":{\"io.kubernetes.container.name\":\"app\","
		      "\"io.kubernetes.pod.name\":\"web-0\","
		      "\"io.kubernetes.pod.namespace\":\"shop\"}}}");
	shows("/kubepods/burstable/pod" UID "/" ID, "shop/web-0/app", "shop/web-0", "a@sha");
}
END_TEST

START_TEST(containerd)
{
	static const char *const dirs[] = {
		"run/containerd/io.containerd.runtime.v2.task/k8s.io/",
		"run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/",
	};
	char path[512];

	snprintf(path, sizeof(path), "%s" ID "/config.json", dirs[_i]);
	fixture_write(root, path,
		      "{\"annotations\":{\"io.kubernetes.cri.container-name\":\"app\","
		      "\"io.kubernetes.cri.container-type\":\"container\","
		      "\"io.kubernetes.cri.image-name\":\"docker.io/library/redis:7\","
		      "\"io.kubernetes.cri.sandbox-name\":\"web-0\","
		      "\"io.kubernetes.cri.sandbox-namespace\":\"shop\"}}");
	shows("/kubepods.slice/kubepods-pod" UID_ ".slice/cri-containerd-" ID ".scope",
	      "shop/web-0/app", "shop/web-0", "docker.io/library/redis:7");
}
END_TEST

START_TEST(the_container_of_a_pod_itself)
{
	fixture_write(root,
		      "run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json",
		      "{\"annotations\":{\"io.kubernetes.cri.container-type\":\"sandbox\","
		      "\"io.kubernetes.cri.sandbox-name\":\"web-0\","
		      "\"io.kubernetes.cri.sandbox-namespace\":\"shop\"}}");
	shows("/kubepods/pod" UID "/" ID, "shop/web-0/POD", "shop/web-0", "");
}
END_TEST

START_TEST(cri_o)
{
	fixture_write(
		root, "run/containers/storage/overlay-containers/" ID "/userdata/config.json",
		"{\"annotations\":{\"io.kubernetes.container.name\":\"app\","
		"\"io.kubernetes.pod.name\":\"web-0\",\"io.kubernetes.pod.namespace\":\"shop\","
		"\"io.kubernetes.cri-o.ImageName\":\"quay.io/app:1\"}}");
	shows("/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope", "shop/web-0/app",
	      "shop/web-0", "quay.io/app:1");
}
END_TEST

/* As podman 4.3 writes it */
#define LISTED(name)                                                                               \
	"[{\"id\":\"" INNER "\",\"names\":[\"other\"]},{\"id\":\"" ID "\",\"names\":[\"" name      \
	"\"],\"image\":\"0705\",\"metadata\":\"{\\\"image-name\\\":\\\"localhost/busy:1\\\","      \
	"\\\"name\\\":\\\"" name "\\\"}\"}]"

START_TEST(podman)
{
	static const char *const lists[] = {
		"var/lib/containers/storage/overlay-containers/containers.json",
		"var/lib/containers/storage/vfs-containers/containers.json",
		"var/lib/containers/storage/overlay-containers/volatile-containers.json",
	};

	fixture_write(root, lists[_i], LISTED("web"));
	shows("/machine.slice/libpod-" ID ".scope/container", "web", "", "localhost/busy:1");
	shows("/machine.slice/machine-libpod_pod_" INNER ".slice/libpod-" ID ".scope", "web", INNER,
	      "localhost/busy:1");
}
END_TEST

START_TEST(podman_with_its_storage_elsewhere)
{
	fixture_write(root, "etc/containers/storage.conf",
		      "[storage]\ndriver = \"overlay\"\ngraphroot = \"/srv/storage\"\n");
	fixture_write(root, "srv/storage/overlay-containers/containers.json", LISTED("web"));
	shows("/libpod_parent/libpod-" ID, "web", "", "localhost/busy:1");
}
END_TEST

START_TEST(named_by_the_group_alone)
{
	shows("/machine.slice/machine-a\\x2db.scope/payload", "a-b", "", "");
	shows("/lxc.payload.web01", "web01", "", "");
}
END_TEST

/* _i: files that have no name, or none of the right kind */
static const char *const useless[] = {
	"",
	"{",
	"[]",
	"{\"Name\":7}",
	"{\"Name\":\"\",\"Config\":[]}",
	"{\"Config\":{\"Labels\":1}}",
};

START_TEST(without_a_name_it_is_shown_by_its_id)
{
	fixture_write(root, "var/lib/docker/containers/" ID "/config.v2.json", useless[_i]);
	fixture_write(root, "var/lib/containers/storage/overlay-containers/containers.json",
		      useless[_i]);
	fixture_write(root, "run/containerd/io.containerd.runtime.v2.task/x/" ID "/config.json",
		      useless[_i]);
	shows("/docker/" ID, "0123456789ab", "", "");
	shows("/kubepods/pod" UID "/" ID, "0123456789ab", UID, "");
}
END_TEST

START_TEST(a_file_that_is_too_large_is_not_read)
{
	size_t size = (8 << 20) + 1;
	char *text = malloc(size);

	memset(text, ' ', size);
	memcpy(text, "{\"Name\":\"/web\"}", 15);
	fixture_write_bytes(root, "var/lib/docker/containers/" ID "/config.v2.json", text, size);
	shows("/docker/" ID, "0123456789ab", "", "");
	fixture_write_bytes(root, "var/lib/docker/containers/" ID "/config.v2.json", text,
			    size - 1);
	shows("/docker/" ID, "web", "", "");
	free(text);
}
END_TEST

START_TEST(each_group_is_looked_up_once)
{
	struct containers *containers = containers_open(root);
	const struct container *c;

	fixture_write(root, "var/lib/docker/containers/" ID "/config.v2.json",
		      "{\"Name\":\"/web\"}");
	ck_assert_str_eq(containers_find(containers, "/docker/" ID)->name->raw, "web");
	fixture_write(root, "var/lib/docker/containers/" ID "/config.v2.json",
		      "{\"Name\":\"/new\"}");
	c = containers_find(containers, "/docker/" ID "/below");
	ck_assert_str_eq(c->name->raw, "web");
	ck_assert_str_eq(c->id->raw, ID);
	ck_assert(!containers_find(containers, "/system.slice"));
	containers_close(containers);
	containers_close(NULL);
}
END_TEST

START_TEST(what_it_is_called)
{
	const struct container_names names = { .name = "app", .pod = "shop/web-0" };
	struct container_path path;

	container_path_parse("/kubepods/pod" UID "/" ID, &path);
	ck_assert(container_is_called(&names, &path, "shop/web-0/app"));
	ck_assert(container_is_called(&names, &path, "app"));
	ck_assert(container_is_called(&names, &path, "shop/web-0"));
	ck_assert(container_is_called(&names, &path, "0123456789ab"));
	ck_assert(container_is_called(&names, &path, ID));
	ck_assert(!container_is_called(&names, &path, "0123456789a"));
	ck_assert(!container_is_called(&names, &path, "web-0"));
	ck_assert(!container_is_called(&names, &path, ""));
}
END_TEST

/* ---- by name ---- */

static struct cgroup group;

static bool finds(const char *called, struct container_search *search)
{
	char cgroups[300];

	snprintf(cgroups, sizeof(cgroups), "%s/cgroup", root);
	*search = (struct container_search){ .cgroups = cgroups, .files = root, .called = called };
	memset(&group, 0, sizeof(group));
	return container_find_group(search, &group);
}

static void add_group(const char *path)
{
	char name[512];

	snprintf(name, sizeof(name), "cgroup/%s/cgroup.procs", path);
	fixture_write(root, name, strstr(path, "empty") ? "" : "1\n");
}

#define POD "kubepods.slice/kubepods-pod" UID_ ".slice"

static void add_bundle(const char *id, const char *name)
{
	char path[256], text[512];

	snprintf(path, sizeof(path),
		 "run/containerd/io.containerd.runtime.v2.task/k8s.io/%s/config.json", id);
	snprintf(text, sizeof(text),
		 "{\"annotations\":{\"io.kubernetes.cri.container-name\":\"%s\","
		 "\"io.kubernetes.cri.sandbox-name\":\"web-0\","
		 "\"io.kubernetes.cri.sandbox-namespace\":\"shop\"}}",
		 name);
	fixture_write(root, path, text);
	snprintf(path, sizeof(path), "systemd/" POD "/cri-containerd-%s.scope", id);
	add_group(path);
}

START_TEST(one_is_found_by_its_name)
{
	struct container_search search;

	add_group("systemd/lxc.payload.web01/system.slice");
	add_group("memory/docker/" ID "/sub");
	add_group("systemd/lxc.payload.empty");
	add_group("memory/docker/" ID);
	fixture_write(root, "var/lib/docker/containers/" ID "/config.v2.json",
		      "{\"Name\":\"/db\"}");
	add_group("systemd/lxc.payload.web01");
	ck_assert(finds("web01", &search));
	ck_assert_str_eq(group.path + strlen(root), "/cgroup/systemd/lxc.payload.web01");
	ck_assert(finds("db", &search));
	ck_assert_str_eq(group.path + strlen(root), "/cgroup/memory/docker/" ID);
	ck_assert(finds("0123456789abcdef", &search));
	ck_assert(!finds("empty", &search));
	ck_assert(!finds("web", &search));
	ck_assert_uint_eq(search.n, 0);
	ck_assert_str_eq(search.names, "web01");
	ck_assert_str_eq(group.path, "");
}
END_TEST

START_TEST(a_name_that_several_have_is_refused_and_a_pod_is_one)
{
	struct container_search search;

	add_bundle(ID, "app");
	add_bundle(INNER, "side");
	add_group("systemd/" POD);
	ck_assert(finds("side", &search));
	ck_assert(finds("shop/web-0/app", &search));
	ck_assert(strstr(group.path, "/cri-containerd-" ID ".scope"));
	ck_assert(finds("shop/web-0", &search));
	ck_assert_str_eq(group.path + strlen(root), "/cgroup/systemd/" POD);
	add_bundle(INNER, "app");
	ck_assert(!finds("app", &search));
	ck_assert_uint_eq(search.n, 2);
	ck_assert_str_eq(search.names, "shop/web-0/app, shop/web-0/app");
}
END_TEST

/* ---- where files are on the host ---- */

static const char host_mounts_of[] = "1 0 254:0 / / rw - ext4 /dev/vda rw\n"
				     "2 1 254:1 / /srv rw - xfs /dev/vdb rw\n"
				     "3 1 254:1 /data/deep /mnt rw - xfs /dev/vdb rw\n";
/* an overlay; of another disk a directory twice; the host's own at the same place; a tmpfs */
static const char container_mounts_of[] =
	"9 8 0:50 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/var/up\\040per,workdir=/w\n"
	"10 9 254:1 /data /data rw - xfs /dev/vdb rw\n"
	"11 9 254:1 /data/deep/er /deep rw - xfs /dev/vdb rw\n"
	"12 9 254:0 /home /home rw - ext4 /dev/vda rw\n"
	"13 9 0:60 / /run rw - tmpfs tmpfs rw\n";

static const char *host_of(const struct host_namespace *ns, const char *inside)
{
	for (unsigned i = 0; i < ns->n; i++)
		if (!strcmp(ns->list[i].inside, inside))
			return ns->list[i].host;
	return NULL;
}

START_TEST(files_of_a_container_are_somewhere_on_the_host)
{
	struct mounts mounts = { .proc = root };
	struct host_mounts hosts = { .mounts = &mounts };
	const struct host_namespace *ns;

	fixture_write(root, "self/mountinfo", host_mounts_of);
	fixture_write(root, "7/mountinfo", container_mounts_of);
	fixture_write(root, "8/mountinfo", host_mounts_of);
	mounts_open(&mounts);
	/* the first one has ended */
	host_mounts_see(&hosts, 6, 4000, false);
	ck_assert_uint_eq(hosts.news, 0);
	host_mounts_see(&hosts, 7, 4000, false);
	host_mounts_see(&hosts, 7, 4000, false);
	ck_assert_uint_eq(hosts.n, 1);
	ck_assert_uint_eq(hosts.news, 1);
	ns = hosts.list[0];
	ck_assert_str_eq(host_of(ns, "/"), "/var/up per");
	ck_assert_str_eq(host_of(ns, "/data"), "/srv/data");
	ck_assert_str_eq(host_of(ns, "/deep"), "/mnt/er");
	ck_assert_str_eq(host_of(ns, "/home"), "/home");
	ck_assert_str_eq(host_of(ns, "/run"), "");
	/* a program begins, and one that is gone; a namespace that shows the same */
	host_mounts_see(&hosts, 7, 4000, true);
	host_mounts_see(&hosts, 9, 4000, true);
	ck_assert_uint_eq(hosts.news, 2);
	host_mounts_see(&hosts, 8, 4001, false);
	ck_assert_uint_eq(hosts.list[1]->n, 0);
	host_mounts_close(&hosts);
	mounts_close(&mounts);
}
END_TEST

static Suite *containers_suite(void)
{
	Suite *suite = suite_create("containers");
	TCase *tcase = tcase_create("groups");

	tcase_add_loop_test(tcase, a_container_is_known_by_its_group, 0,
			    sizeof(groups) / sizeof(groups[0]));
	tcase_add_test(tcase, a_name_that_is_too_long_is_cut);
	tcase_add_loop_test(tcase, the_control_group_is_the_one_that_says_most, 0,
			    sizeof(files) / sizeof(files[0]));
	tcase_add_test(tcase, what_it_is_called);
	suite_add_tcase(suite, tcase);

	tcase = tcase_create("files");
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, docker);
	tcase_add_test(tcase, docker_with_its_data_elsewhere);
	tcase_add_test(tcase, docker_of_a_user);
	tcase_add_test(tcase, docker_under_kubernetes);
	tcase_add_loop_test(tcase, containerd, 0, 2);
	tcase_add_test(tcase, the_container_of_a_pod_itself);
	tcase_add_test(tcase, cri_o);
	tcase_add_loop_test(tcase, podman, 0, 3);
	tcase_add_test(tcase, podman_with_its_storage_elsewhere);
	tcase_add_test(tcase, named_by_the_group_alone);
	tcase_add_loop_test(tcase, without_a_name_it_is_shown_by_its_id, 0,
			    sizeof(useless) / sizeof(useless[0]));
	tcase_add_test(tcase, a_file_that_is_too_large_is_not_read);
	tcase_add_test(tcase, each_group_is_looked_up_once);
	tcase_add_test(tcase, one_is_found_by_its_name);
	tcase_add_test(tcase, files_of_a_container_are_somewhere_on_the_host);
	tcase_add_test(tcase, a_name_that_several_have_is_refused_and_a_pod_is_one);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(containers_suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
