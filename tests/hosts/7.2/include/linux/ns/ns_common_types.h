 * @ns_tree: namespace tree nodes and active reference count
		struct ns_tree;
