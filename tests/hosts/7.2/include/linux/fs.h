#define FMODE_OPENED		((__force fmode_t)(1 << 19))
struct __filename_head {
#define EMBEDDED_NAME_MAX	(192 - sizeof(struct __filename_head))
	struct __filename_head;
struct renamedata {
	struct mnt_idmap *mnt_idmap;
	struct dentry *old_parent;
	struct dentry *old_dentry;
	struct dentry *new_parent;
	struct dentry *new_dentry;
	struct delegated_inode *delegated_inode;
	unsigned int flags;
} __randomize_layout;
