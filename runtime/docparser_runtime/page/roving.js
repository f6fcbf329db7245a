// One stop of the Tab key for a group; arrow keys move inside it.

const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

export class Roving {
  /** The members of `group` are its descendants that match `selector`, in their order. */
  constructor(group, selector) {
    this.selector = selector;
    this.group = group;
    const members = this.members;
    if (members.length > 0) members[0].tabIndex = 0;
    group.onfocusin = (event) => this.#enter(event.target);
    group.onkeydown = (event) => this.#move(event);
  }

  get members() {
    return [...this.group.querySelectorAll(this.selector)];
  }

  #enter(target) {
    if (!target.matches(this.selector)) return;
    for (const member of this.members) member.tabIndex = member === target ? 0 : -1;
  }

  #move(event) {
    const members = this.members;
    const at = members.indexOf(event.target);
    if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const last = members.length - 1;
    const goals = { Home: 0, End: last };
    const goal = goals[event.key] ?? (event.key in STEPS ? at + STEPS[event.key] : null);
    if (goal === null || goal < 0 || goal > last) return;
    event.preventDefault();
    members[goal].focus();
  }
}
