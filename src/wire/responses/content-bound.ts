import { InputBound, type InputTotal } from '#wire/bound/input-bound.ts'
import { isDataUrl } from '#wire/bound/recognize-media-addresses.ts'
import { kindOf, kinds, member, stringAt, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, keysOf } from '#wire/text/members-of-tape-nodes.ts'
import { isGiven, mustBe, refuseForRoute, textAt } from '#wire/wire-request.ts'
import type { KeptKinds } from '#wire/remove-provider-tools.ts'
import type { ContainerUse } from '#wire/container-use-types.ts'
import { containerOfCall, containersOfTools, type ToolContainers } from './code-containers.ts'
import { imageTokensOfTools } from './generated-images.ts'
import { hiddenTokensOfTools, refuseProviderTools, toolsIn } from './remove-provider-tools.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import { unbounded, whyUnbounded } from '#wire/bound/bound-of-unknown-content.ts'

interface Bounded {
  readonly tools: Node
  readonly hasSchema: boolean
  readonly kept: KeptKinds
}

/**
 * Encrypted reasoning counts as a fraction of its bytes (bound/tokens-of-thought-signatures.ts).
 * @param input node of the field `input`; -1 if the field is absent, which only requests to count tokens allow
 */
export function boundInput(
  json: Json,
  input: Node,
  { hasSchema, kept, tools }: Bounded,
): {
  readonly total: InputTotal
  readonly containers: ToolContainers
  readonly imageTokens: number
  /** Whether the input asks the provider to compact the conversation. */
  readonly isCompacted: boolean
} {
  const bound = new InputBound()
  bound.addSettings(json, 0, settings)
  bound.addHidden(hiddenTokensOfTools(json, tools))
  const isList = isGiven(json, input) && kindOf(json, input) !== kinds.string
  if (isList && kindOf(json, input) !== kinds.array) mustBe('input', 'a string or a list of items')
  const items = itemsOf(json, input)
  const bounding: Bounding = {
    bound,
    kept,
    named: [],
    hasTools: itemsOf(json, tools).length > 0,
    hasSchema,
    isCompacted: false,
  }
  for (const [i, item] of items.entries()) boundItem(json, item, bounding, `input.${i}`)
  const { hasTools, isCompacted, named } = bounding
  const all = kept.size > 0 ? toolsIn(json) : []
  const { sessions, uses } = containersOfTools(json, all, bound)
  const imageTokens = imageTokensOfTools(json, all, bound)
  return {
    total: bound.total(json, {
      messages: isList ? items.length : 1,
      hasTools,
      hasSchema: bounding.hasSchema,
    }),
    containers: { sessions, uses: [...uses, ...named] },
    imageTokens,
    isCompacted,
  }
}

interface Bounding {
  readonly bound: InputBound
  readonly kept: KeptKinds
  readonly named: ContainerUse[]
  hasTools: boolean
  hasSchema: boolean
  isCompacted: boolean
}

export const settings = nameSet(`
  model max_output_tokens stream stream_options service_tier svc temperature top_p top_logprobs user
  metadata store include parallel_tool_calls previous_response_id conversation prompt_cache_key safety_identifier truncation
  tool_choice
`)

function boundItem(json: Json, item: Node, bounding: Bounding, param: string): void {
  const { bound, kept } = bounding
  if (kindOf(json, item) !== kinds.object) mustBe(param, 'an object')
  const type = typeOf(json, item)
  switch (type) {
    case 'message':
      bound.addTurn(json, item)
      return boundContent(json, member(json, item, 'content'), bound, `${param}.content`)
    case 'function_call_output':
    case 'custom_tool_call_output':
      return boundContent(json, member(json, item, 'output'), bound, `${param}.output`)
    case 'agent_message':
      return boundContent(json, member(json, item, 'content'), bound, `${param}.content`)
    case 'compaction_trigger':
      bounding.isCompacted = true
      return
    case 'configuration_update': {
      const text = member(json, item, 'text')
      bounding.hasSchema ||= text >= 0 && member(json, text, 'format') >= 0
      return
    }
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'local_shell_call_output':
    case 'shell_call':
    case 'shell_call_output':
    case 'apply_patch_call':
    case 'apply_patch_call_output':
    case 'tool_search_call':
    case 'computer_call':
      return
    case 'reasoning':
      return bound.addReasoning(json, item)
    // Items of these types record actions of the provider's tools. Identifiers in these items refer to the recorded
    // actions, and not to other stored content.
    case 'web_search_call':
    case 'file_search_call':
    case 'mcp_call':
    case 'mcp_list_tools':
    case 'mcp_approval_request':
    case 'mcp_approval_response':
      if (isOnlyNamed(json, item)) refuseForRoute(param, unbounded(type, onlyNamed))
      return
    case 'code_interpreter_call': {
      if (isOnlyNamed(json, item)) refuseForRoute(param, unbounded(type, onlyNamed))
      const container = containerOfCall(json, item)
      if (container !== null) bounding.named.push(container)
      return boundOutputs(json, member(json, item, 'outputs'), bound)
    }
    case 'compaction':
      if (!isText(json, member(json, item, 'encrypted_content')))
        refuseForRoute(
          param,
          'the size of a compaction that is only referenced is not known before the request. Send it with its encrypted_content',
        )
      return
    case 'image_generation_call':
      if (!isText(json, member(json, item, 'result')))
        refuseForRoute(
          param,
          'the size of an image that is only referenced is not known before the request. Send it with its result',
        )
      return bound.addImage(json, member(json, item, 'result'), false)
    case 'computer_call_output': {
      const refused = boundScreen(json, member(json, item, 'output'), bound)
      return refused === null ? undefined : refuseForRoute(`${param}.output`, refused)
    }
    case 'tool_search_output':
    case 'additional_tools': {
      const tools = member(json, item, 'tools')
      bounding.hasTools ||= itemsOf(json, tools).length > 0
      bound.addHidden(hiddenTokensOfTools(json, tools))
      return refuseProviderTools(json, tools, `${param}.tools`, kept)
    }
    case 'item_reference':
      return refuseForRoute(
        param,
        'the size of an item that the provider has stored is not known before the request. Send the item itself, as most clients do with store: false, or continue with previous_response_id',
      )
    default: {
      const refused = isOnlyNamed(json, item) ? unbounded(type, onlyNamed) : whyUnbounded(json, item, type)
      if (refused !== null) refuseForRoute(param, refused)
    }
  }
}

/** Whether an item has only its type, ID and status, because its content is stored at the provider. */
function isOnlyNamed(json: Json, item: Node): boolean {
  return keysOf(json, item).every((key) => names.has(stringAt(json, key)))
}

const names = nameSet('type id status')
const onlyNamed = 'it is only a reference to content that is stored at the provider; send the content itself'

/** Logs count as text, and images as media. */
function boundOutputs(json: Json, outputs: Node, bound: InputBound): void {
  for (const output of itemsOf(json, outputs)) {
    const url = member(json, output, 'url')
    if (textAt(json, member(json, output, 'type')) === 'image' && isText(json, url))
      bound.addImage(json, isDataUrl(json, url) ? url : -1, false)
  }
}

/** @returns why the tokens of the screenshot have no limit, or null */
function boundScreen(json: Json, screen: Node, bound: InputBound): string | null {
  if (screen >= 0 && boundImage(json, screen, bound, false)) return null
  return 'the cost of a screenshot without image_url and file_id is not known; send it as image_url'
}

/** @returns false if the image has no address, no data and no file ID */
function boundImage(json: Json, part: Node, bound: InputBound, isLowDetail: boolean): boolean {
  const url = member(json, part, 'image_url')
  const file = member(json, part, 'file_id')
  const hasFile = isGiven(json, file)
  if (hasFile) bound.addFile(json, file, { isImage: true, isLowDetail })
  if (!isText(json, url)) return hasFile
  // An address is not data, so its bytes count as text.
  bound.addImage(json, isDataUrl(json, url) ? url : -1, isLowDetail)
  return true
}

/** Messages and item references may omit the field `type`. A message has a role, whereas a reference has only an ID. */
function typeOf(json: Json, item: Node): string {
  const type = textAt(json, member(json, item, 'type'))
  if (type !== null) return type
  return member(json, item, 'role') >= 0 ? 'message' : 'item_reference'
}

function boundContent(json: Json, content: Node, bound: InputBound, param: string): void {
  for (const [i, part] of itemsOf(json, content).entries()) {
    const refused = boundPart(json, part, bound)
    if (refused !== null) refuseForRoute(`${param}.${i}`, refused)
  }
}

/** @returns why the tokens of the part have no limit, or null */
function boundPart(json: Json, part: Node, bound: InputBound): string | null {
  if (kindOf(json, part) !== kinds.object) return null
  const type = textAt(json, member(json, part, 'type')) ?? 'unknown'
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'refusal':
      return null
    case 'input_image': {
      const isLowDetail = textAt(json, member(json, part, 'detail')) === 'low'
      if (boundImage(json, part, bound, isLowDetail)) return null
      return 'the cost of an image without image_url and file_id is not known; send it as image_url'
    }
    case 'input_file': {
      const data = member(json, part, 'file_data')
      const file = member(json, part, 'file_id')
      const url = member(json, part, 'file_url')
      if (
        [data, file, url].filter((node) => isGiven(json, node)).length !== 1 ||
        !isFileAt(json, { data, url })
      )
        return 'the size of the file is not known before the request. Send exactly one of file_data, file_id, and file_url with an http or https address'
      if (isGiven(json, file)) bound.addFile(json, file)
      else if (isGiven(json, url)) bound.addFetched('document')
      else bound.addDocument(json, data)
      return null
    }
    default:
      return whyUnbounded(json, part, type)
  }
}

/** Whether the file has an HTTP URL. Without a URL, whether its data is absent or a text. */
function isFileAt(json: Json, { data, url }: { readonly data: Node; readonly url: Node }): boolean {
  if (isGiven(json, url)) return /^https?:\/\//i.test(textAt(json, url) ?? '')
  return !isGiven(json, data) || isText(json, data)
}

/** Does not copy the value to a string, because the value may have megabytes. */
function isText(json: Json, node: Node): boolean {
  return node >= 0 && kindOf(json, node) === kinds.string
}
