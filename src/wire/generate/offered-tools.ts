import { kindOf, kinds, type Json, type Node } from '#wire/text/json-tape.ts'
import { forcedTool, lostTool, providerTool, type WithoutOffers } from '#wire/offered-tools.ts'
import { removals } from '#wire/text/removals.ts'
import { fault, isNull, textAt, type RequestFault } from '#wire/request.ts'
import type { Edit } from '#wire/text/splice.ts'
import { entriesOf, fieldsOf, type Field } from './fields.ts'

/** Only functions, which the caller runs: what a provider runs by itself has no bound (tokens.md 1.4). */
export function faultOfTools(json: Json, tools: Node): RequestFault | null {
  if (tools < 0 || isNull(json, tools)) return null
  for (const [i, tool] of entriesOf(json, tools).entries()) {
    const param = `tools.${i}`
    if (kindOf(json, tool) !== kinds.object)
      return fault('invalid_request', param, 'A tool must be an object.')
    const kindsOfTool = fieldsOf(json, tool)
    if (typeof kindsOfTool === 'string')
      return fault(
        'invalid_request',
        `${param}.${kindsOfTool}`,
        `The field ${param}.${kindsOfTool} is there twice.`,
      )
    for (const [name, { value }] of kindsOfTool) {
      if (name === 'functionDeclarations' || isNull(json, value)) continue
      if (name !== 'computerUse') return providerTool(`${param}.${name}`, name)
      const reason = 'what the screens of a computer cost cannot be bounded before the call; send a function'
      return fault('unsupported_for_route', `${param}.${name}`, reason)
    }
  }
  return null
}

/**
 * The request without the tools that the provider runs. One object may be several tools; a mode makes the
 * model call functions only, so what else is there is never forced, unless no function is left.
 * @param root the request itself, which may stand within one to count it
 */
export function withoutProviderTools(json: Json, root: Node = 0): WithoutOffers | RequestFault {
  const fields = fieldsOf(json, root)
  const list = typeof fields === 'string' ? undefined : fields.get('tools')
  if (typeof fields === 'string' || !list) return { edits: [], lost: [] }
  const edits: Edit[] = []
  const lost: string[] = []
  const gone: Node[] = []
  const tools = entriesOf(json, list.value)
  for (const tool of tools) {
    const named = fieldsOf(json, tool)
    if (typeof named === 'string') continue
    const run = [...named].filter(([name, { value }]) => isRunByProvider(json, name, value))
    lost.push(...run.map(([name]) => lostTool(name)))
    if (run.length === 0) continue
    if (run.length === named.size) gone.push(tool)
    else
      edits.push(
        ...removals(
          json,
          tool,
          run.map(([, { key }]) => key),
        ),
      )
  }
  if (gone.length < tools.length) return { edits: [...edits, ...removals(json, list.value, gone)], lost }
  const config = fields.get('toolConfig')
  if (isForced(json, config)) return forcedTool('toolConfig')
  return { edits: removals(json, root, config ? [list.key, config.key] : [list.key]), lost }
}

function isRunByProvider(json: Json, name: string, value: Node): boolean {
  return name !== 'functionDeclarations' && name !== 'computerUse' && !isNull(json, value)
}

function isForced(json: Json, config: Field | undefined): boolean {
  if (!config || kindOf(json, config.value) !== kinds.object) return false
  const fields = fieldsOf(json, config.value)
  const calling = typeof fields === 'string' ? undefined : fields.get('functionCallingConfig')
  if (!calling || kindOf(json, calling.value) !== kinds.object) return false
  const inner = fieldsOf(json, calling.value)
  const mode = typeof inner === 'string' ? undefined : inner.get('mode')
  return mode !== undefined && textAt(json, mode.value)?.toUpperCase() === 'ANY'
}
