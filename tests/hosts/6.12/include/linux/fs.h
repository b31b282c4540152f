#define FMODE_OPENED		((__force fmode_t)(1 << 19))
