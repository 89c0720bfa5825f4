/**
 * Appends the items to the list. `list.push(...items)` passes each item as an argument, and exceeds the stack if a
 * response of a provider has more than about 100,000 items, such as log probabilities.
 */
export function appendAll<Item>(list: Item[], items: readonly Item[]): void {
  for (const item of items) list.push(item)
}
