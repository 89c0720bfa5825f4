/** A gate with its bar half open. */
export const favicon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>Tollgate</title><rect width="32" height="32" rx="7" fill="#14213d"/><path d="M9 26V9" stroke="#fff" stroke-width="4" stroke-linecap="round"/><path d="M9 14 25 7" stroke="#fca311" stroke-width="4" stroke-linecap="round"/></svg>\n'
