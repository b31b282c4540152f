"use strict";
(function () {
	var root = document.documentElement;

	function all(selector, f) {
		Array.prototype.forEach.call(document.querySelectorAll(selector), f);
	}

	/* a table is sorted by the column of the button, numbers from the highest */
	function key(row, column) {
		var cell = row.cells[column];

		if (!cell.classList.contains("n"))
			return cell.textContent;
		return cell.title === "" ? -1 : Number(cell.title.replace(":", "."));
	}

	function sort(button) {
		var head = button.parentNode, table = head.closest("table"), column = head.cellIndex;
		var body = table.tBodies[0], numbers = head.classList.contains("n");
		var down = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") === "ascending" : numbers;
		var rows = Array.prototype.slice.call(body.rows);

		rows.sort(function (a, b) {
			var x = key(a, column), y = key(b, column);
			var order = x < y ? -1 : x > y ? 1 : 0;

			return down ? -order : order;
		});
		rows.forEach(function (row) { body.appendChild(row); });
		Array.prototype.forEach.call(head.parentNode.cells, function (other) { other.removeAttribute("aria-sort"); });
		head.setAttribute("aria-sort", down ? "descending" : "ascending");
	}

	/* one selection of time for all charts of a trace */
	function select(tools) {
		var inputs = tools.querySelectorAll("input"), max = Number(inputs[0].max);
		var from = Math.min(Number(inputs[0].value), max - 1);
		var to = Math.max(Number(inputs[1].value), from + 1);
		var width = Number(tools.dataset.width), text = function (n) { return (n * width / 1e9).toFixed(3) + " s"; };

		tools.querySelector("output").textContent = text(from) + " to " + text(to);
		all("#" + tools.dataset.of + " svg.time", function (svg) {
			svg.setAttribute("viewBox", from + " 0 " + (to - from) + " 100");
		});
		all("#" + tools.dataset.of + " .ends.x", function (ends) {
			ends.firstChild.textContent = text(from);
			ends.lastChild.textContent = text(to);
		});
	}

	document.addEventListener("click", function (event) {
		var button = event.target.closest("button");

		if (!button)
			return;
		if (button.closest("th"))
			sort(button);
		else if (button.name === "theme")
			root.dataset.theme = (root.dataset.theme ||
				(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark" ? "light" : "dark";
		else if (button.name === "all") {
			var tools = button.closest(".tools"), inputs = tools.querySelectorAll("input");

			inputs[0].value = 0;
			inputs[1].value = inputs[1].max;
			select(tools);
		}
	});
	document.addEventListener("input", function (event) {
		var tools = event.target.closest(".tools");

		if (tools)
			select(tools);
	});
	/* on paper nothing can be opened */
	var closed = [];

	addEventListener("beforeprint", function () {
		all("details:not([open])", function (details) {
			if (!details.classList.contains("long")) {
				details.open = true;
				closed.push(details);
			}
		});
	});
	addEventListener("afterprint", function () {
		closed.splice(0).forEach(function (details) { details.open = false; });
	});
})();
