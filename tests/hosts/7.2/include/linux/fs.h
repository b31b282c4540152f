#define FMODE_OPENED		((__force fmode_t)(1 << 19))
struct __filename_head {
#define EMBEDDED_NAME_MAX	(192 - sizeof(struct __filename_head))
	struct __filename_head;
