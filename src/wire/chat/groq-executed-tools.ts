/** Tools that Groq's systems ran, in the member `executed_tools` of a message or a delta. */
import { isCount } from './usage.ts'
import { isAbsent, isObject, listOf, objectOf, textOrNull, type JsonValue } from '#wire/text/json-values.ts'

/** A stream lists a search twice, the second time with the output of the search. Both entries count as one search. */
export class ExecutedSearches {
  readonly #ids = new Set<string>()

  read(choice: number, tools: JsonValue): void {
    for (const [at, tool] of listOf(tools).entries()) {
      if (!isObject(tool) || !isSearch(tool)) continue
      this.#ids.add(`${choice} ${isCount(tool.index) ? tool.index : at}`)
    }
  }

  get count(): number {
    return this.#ids.size
  }
}

export function executedSearches(choices: JsonValue): number {
  const searches = new ExecutedSearches()
  for (const [at, choice] of listOf(choices).entries())
    searches.read(at, objectOf(objectOf(choice).message).executed_tools)
  return searches.count
}

/**
 * A search has a type that contains `search`, or search results. Page visits, code and browsing have neither.
 */
function isSearch({ search_results: results, type }: { readonly [name: string]: JsonValue }): boolean {
  return (textOrNull(type) ?? '').includes('search') || !isAbsent(results)
}
