#define FMODE_OPENED		((__force fmode_t)0x80000)
