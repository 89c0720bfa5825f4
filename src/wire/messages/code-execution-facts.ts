import type { Usage } from '#money/usage-counts.ts'
import { member, kindOf, kinds, type Json, type Node } from '#wire/text/json-tape.ts'
import type { ToolKind } from '#wire/kinds-of-provider-tools.ts'
import type { WireRequest } from '#wire/wire-request.ts'

/** Facts about the tools of a request that are needed to read the response. */
export interface RunFacts {
  /** Searches may run code at no cost, even if this flag is false. */
  readonly runsCode: boolean
  readonly billsContainer: boolean
}

export const noRun: RunFacts = { runsCode: false, billsContainer: false }

/** Used if the request is not available. Whether a container is billed is then read from the hold of the call. */
export const anyRun: RunFacts = { runsCode: true, billsContainer: true }

export function runFactsOf({ run, uses }: Pick<WireRequest, 'run' | 'uses'>): RunFacts {
  if (run === undefined) return noRun
  return {
    runsCode: run.kinds.includes('codeExecution'),
    billsContainer: uses?.codeSessions !== undefined,
  }
}

/** Null if the uses of the tool have neither a limit nor a cost. */
export function kindOfUse(name: string): ToolKind | null {
  return kindsOfUses.get(name) ?? null
}

const kindsOfUses: ReadonlyMap<string, ToolKind> = new Map([
  ['web_search', 'webSearch'],
  ['web_fetch', 'webFetch'],
  ['code_execution', 'codeExecution'],
  ['bash_code_execution', 'codeExecution'],
  ['text_editor_code_execution', 'codeExecution'],
  ['mcp', 'mcp'],
])

/** Whether the message or the end of its stream names the container that ran code. */
export function hasContainer(json: Json, message: Node): boolean {
  const container = member(json, message, 'container')
  return container >= 0 && kindOf(json, container) === kinds.object
}

export function withSession(
  usage: Usage | null,
  { billsContainer }: RunFacts,
  ranCode: boolean,
): Usage | null {
  return usage !== null && billsContainer && ranCode ? { ...usage, codeSessions: 1 } : usage
}
