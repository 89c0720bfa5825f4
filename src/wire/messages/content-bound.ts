import { tokensOfCitations } from '#wire/bound/citation-tokens.ts'
import { InputBound, type InputTotal } from '#wire/bound/input-bound.ts'
import { endOf, kindOf, kinds, member, startOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, typeOf } from '#wire/text/members-of-tape-nodes.ts'
import type { CodeFile } from '#wire/file-use-types.ts'
import { mustBe, refuseForRoute, spanOf, textAt, turnsAt, type WireRequest } from '#wire/wire-request.ts'
import { codeFilesIn } from './files-created-by-code.ts'
import { hiddenTokensOfTool, isRunByCaller, serversIn } from './remove-provider-tools.ts'
import { whyUnbounded } from '#wire/bound/bound-of-unknown-content.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import { mcpServerTokens } from '#wire/remove-provider-tools.ts'

/** Nodes of the request's input; -1 for an absent node. */
interface Input {
  readonly messages: Node
  readonly system: Node
  readonly tools: Node
  readonly hasSchema: boolean
  readonly runsCode: boolean
  /** Tokens that the provider adds for fields other than messages. */
  readonly hiddenTokens: number
}

interface KnownTools {
  /** Bytes of the largest tool definition, which the provider may insert where a tool is named. */
  largest: number
  readonly runsCode: boolean
  /** The files that code at the provider has created, in blocks of the history. */
  readonly codeFiles: CodeFile[]
}

export function boundMessages(json: Json, input: Input): InputTotal & Pick<WireRequest, 'codeFiles'> {
  const { messages, system, tools, hasSchema, runsCode, hiddenTokens } = input
  const turns = itemsOf(json, turnsAt(json, 'messages', messages, 'message'))
  const bound = new InputBound()
  bound.addSettings(json, 0, settings)
  const codeFiles: CodeFile[] = []
  const known = { largest: boundTools(json, tools, bound), runsCode, codeFiles }
  const servers = serversIn(json).length
  bound.addHidden(hiddenTokens + servers * mcpServerTokens)
  const refused = boundBlocks(json, system, bound, known)
  if (refused !== null) refuseForRoute('system', refused)
  for (const [i, message] of turns.entries()) {
    if (kindOf(json, message) !== kinds.object) mustBe(`messages.${i}`, 'an object')
    bound.addTurn(json, message)
    const reason = boundBlocks(json, member(json, message, 'content'), bound, known)
    if (reason !== null) refuseForRoute(`messages.${i}.content`, reason)
  }
  const hasTools = known.largest > 0 || servers > 0
  const total = bound.total(json, { messages: turns.length, hasTools, hasSchema })
  return codeFiles.length === 0 ? total : { ...total, codeFiles }
}

export const settings = nameSet(`
  model max_tokens stream temperature top_p top_k stop_sequences metadata service_tier speed svc thinking tool_choice
`)

function boundTools(json: Json, tools: Node, bound: InputBound): number {
  let largest = 0
  for (const tool of itemsOf(json, tools)) {
    largest = Math.max(largest, endOf(json, tool) - startOf(json, tool))
    bound.addHidden(hiddenTokensOfTool(json, tool))
  }
  return largest
}

/** @returns why the tokens of the content have no limit, or null */
function boundBlocks(json: Json, content: Node, bound: InputBound, tools: KnownTools): string | null {
  for (const block of itemsOf(json, content)) {
    const refused = boundBlock(json, block, bound, tools)
    if (refused !== null) return refused
  }
  return null
}

function boundBlock(json: Json, block: Node, bound: InputBound, tools: KnownTools): string | null {
  if (kindOf(json, block) !== kinds.object) return null
  const type = textAt(json, member(json, block, 'type')) ?? ''
  switch (type) {
    case 'text':
    case 'thinking':
    case 'redacted_thinking':
    case 'tool_use':
    // Inputs and results of the provider's tools are part of the request, even if they contain addresses.
    case 'server_tool_use':
    case 'mcp_tool_use':
    case 'web_search_tool_result':
    case 'text_editor_code_execution_tool_result':
      return null
    case 'code_execution_tool_result':
    case 'bash_code_execution_tool_result':
      for (const node of codeFilesIn(json, block))
        tools.codeFiles.push({ id: textAt(json, node) ?? '', place: spanOf(json, node) })
      return null
    case 'search_result':
      boundCitations(json, block, bound)
      return boundBlocks(json, member(json, block, 'content'), bound, tools)
    case 'tool_result':
    case 'mcp_tool_result':
      return boundBlocks(json, member(json, block, 'content'), bound, tools)
    case 'web_fetch_tool_result': {
      const fetched = member(json, member(json, block, 'content'), 'content')
      return fetched < 0 ? null : boundBlock(json, fetched, bound, tools)
    }
    case 'tool_search_tool_result': {
      const found = itemsOf(json, member(json, member(json, block, 'content'), 'tool_references'))
      bound.addHidden(tools.largest * found.length)
      return null
    }
    case 'tool_addition':
      return boundAddedTool(json, member(json, block, 'tool'), bound, tools)
    case 'tool_reference':
      // Each time a tool is named, the provider inserts the definition of the tool.
      bound.addHidden(tools.largest)
      return null
    case 'image':
      return boundImage(json, member(json, block, 'source'), bound)
    case 'container_upload':
      if (!tools.runsCode) return needsCode
      bound.addFile(json, member(json, block, 'file_id'), { isUpload: true })
      return null
    case 'document':
      boundCitations(json, block, bound)
      return boundDocument(json, block, bound, tools)
    default:
      return whyUnbounded(json, block, type)
  }
}

const needsCode =
  'a container_upload needs the tool code_execution, which is sent if the price of the model has codeSession. Offer the tool, or send the file as a document'

/** The block contains the tool's definition, or the name of one of the request's tools. */
function boundAddedTool(json: Json, tool: Node, bound: InputBound, tools: KnownTools): string | null {
  const type = typeOf(json, tool, 'unknown')
  if (type === 'tool_reference') {
    bound.addHidden(tools.largest)
    return null
  }
  if (type !== 'tool_definition')
    return `the size of the tools that a ${type.slice(0, 40)} adds is not known before the request. Send a tool_definition`
  const definition = member(json, tool, 'definition')
  if (!isRunByCaller(json, definition))
    return `the provider runs ${typeOf(json, definition, 'custom').slice(0, 40)} itself, at a cost that is not known before the request. Send a tool that you run`
  tools.largest = Math.max(tools.largest, endOf(json, definition) - startOf(json, definition))
  bound.addHidden(hiddenTokensOfTool(json, definition))
  return null
}

function boundImage(json: Json, source: Node, bound: InputBound): string | null {
  const type = textAt(json, member(json, source, 'type')) ?? 'unknown'
  if (type === 'file') {
    bound.addFile(json, member(json, source, 'file_id'), { isImage: true })
    return null
  }
  // An image has a maximum number of tokens, whether the request contains its data or its address.
  if (type !== 'base64' && type !== 'url')
    return `an image of source ${type} is stored at the provider. Send it as base64`
  bound.addImage(json, type === 'base64' ? member(json, source, 'data') : -1, false)
  return null
}

/** The tokens of a PDF's pages already include the marks around its sentences. */
function boundCitations(json: Json, block: Node, bound: InputBound): void {
  if (!hasCitations(json, block)) return
  const source = member(json, block, 'source')
  const type = source < 0 ? null : textAt(json, member(json, source, 'type'))
  if (type === 'base64') bound.addCitedDocument()
  // The ID of a stored file already contains the bound of the file with citations.
  else if (type !== 'file')
    bound.addHidden(tokensOfCitations(json.text.slice(startOf(json, block), endOf(json, block))))
}

function hasCitations(json: Json, block: Node): boolean {
  const citations = member(json, block, 'citations')
  if (citations < 0 || kindOf(json, citations) !== kinds.object) return false
  const isEnabled = member(json, citations, 'enabled')
  return isEnabled >= 0 && kindOf(json, isEnabled) !== kinds.false
}

function boundDocument(json: Json, block: Node, bound: InputBound, tools: KnownTools): string | null {
  const source = member(json, block, 'source')
  const type = textAt(json, member(json, source, 'type')) ?? 'unknown'
  if (type === 'text') return null
  if (type === 'content') return boundBlocks(json, member(json, source, 'content'), bound, tools)
  if (type === 'file') {
    bound.addFile(json, member(json, source, 'file_id'), { isCited: hasCitations(json, block) })
    return null
  }
  if (type === 'url') {
    if (!/^https?:\/\//i.test(textAt(json, member(json, source, 'url')) ?? ''))
      return 'only http and https addresses of documents are fetched. Send the document as base64'
    bound.addFetched('document')
    return null
  }
  if (type !== 'base64')
    return `the size of a document of source ${type} is not known before the request. Send it as base64`
  bound.addDocument(
    json,
    member(json, source, 'data'),
    textAt(json, member(json, source, 'media_type')) ?? '',
  )
  return null
}
