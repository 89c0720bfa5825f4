import { listOf, objectOf, type JsonValue } from '#wire/text/json-values.ts'

export interface FunctionNames {
  readonly computer: string
  readonly search: string
}

/** No other tool of the request has these names. */
export function functionNamesIn(tools: JsonValue): FunctionNames {
  const taken = new Set(listOf(tools).map((tool) => objectOf(tool).name))
  const free = (start: string): string => {
    let name = start
    while (taken.has(name)) name += '_'
    return name
  }
  return { computer: free('computer'), search: free('tool_search') }
}
