import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { refuseForRoute } from '#wire/wire-request.ts'

/** The gateway rejects a request with a part that the neutral request format cannot express. */
interface ReaderRefusal {
  readonly what: string
  /** Wires that are not listed do not have the part. */
  readonly field: Readonly<Partial<Record<WireName, string>>>
  /** The reason for the rejection, and how to avoid the rejection. */
  readonly reason: string
}

/**
 * The parts of requests that no other wire can express. docs/reference/conversion-losses.md lists these parts. Parts
 * that some other wires can express are in adapt-request-to-wire.ts.
 */
export const readerRefusals = {
  computer: {
    what: 'a computer tool that the client runs, whose functions depend on the Gemini model',
    field: { generate: 'tools.computerUse' },
    reason:
      'the predefined functions of the computer tool depend on the Gemini model; declare the functions that you run, or use a Google model',
  },
  vendorTool: {
    what: 'other tools that a vendor defines and the client runs, such as a shell, an editor or a set of tools',
    field: { messages: 'tools.type', responses: 'tools.type' },
    reason: 'only models of its vendor know this tool; define it as a function with a name and a schema',
  },
} as const satisfies Readonly<Record<string, ReaderRefusal>>

/**
 * Rejects a tool that only models of its own vendor support.
 * @param param the position of the tool in the request, such as `tools.0`
 * @param type the type of the tool on the client's wire
 */
export function refuseVendorTool(
  param: string,
  type: string,
  kind: keyof typeof readerRefusals = 'vendorTool',
): never {
  refuseForRoute(param, `${type}: ${readerRefusals[kind].reason}`)
}

/**
 * Fields that the gateway's neutral request format cannot express, and that are dropped or changed when the request is
 * read. Fields that no reader knows are reported too (unread-fields.ts).
 */
export const readerLosses: readonly {
  readonly what: string
  readonly from: WireName
  readonly field: string
  /** If absent, the part is dropped. */
  readonly result?: 'changed'
}[] = [
  { what: 'the context of a document', from: 'messages', field: 'document.context' },
  { what: 'citations of a document', from: 'messages', field: 'document.citations' },
  { what: 'citations of search results', from: 'messages', field: 'search_result.citations' },
  {
    what: 'calls of tools that the provider ran, sent as text',
    from: 'messages',
    field: 'messages.content.server_tool_use',
    result: 'changed',
  },
  {
    what: 'calls of MCP servers by the provider, sent as text',
    from: 'messages',
    field: 'messages.content.mcp_tool_use',
    result: 'changed',
  },
  {
    what: 'results of web searches, sent as text with titles and addresses',
    from: 'messages',
    field: 'messages.content.web_search_tool_result',
    result: 'changed',
  },
  {
    what: 'pages that the provider fetched, sent as text',
    from: 'messages',
    field: 'messages.content.web_fetch_tool_result',
    result: 'changed',
  },
  {
    what: 'output of code that the provider ran, sent as text',
    from: 'messages',
    field: 'messages.content.code_execution_tool_result',
    result: 'changed',
  },
  {
    what: 'output of commands that the provider ran, sent as text',
    from: 'messages',
    field: 'messages.content.bash_code_execution_tool_result',
    result: 'changed',
  },
  {
    what: 'results of edits that the provider ran, sent as text',
    from: 'messages',
    field: 'messages.content.text_editor_code_execution_tool_result',
    result: 'changed',
  },
  {
    what: 'results of MCP servers, sent as text',
    from: 'messages',
    field: 'messages.content.mcp_tool_result',
    result: 'changed',
  },
  {
    what: 'advice of another model, sent as text',
    from: 'messages',
    field: 'messages.content.advisor_tool_result',
    result: 'changed',
  },
  {
    what: 'the list of tools of an MCP server',
    from: 'messages',
    field: 'messages.content.mcp_tool_listing',
  },
  {
    what: 'the place at which another model continued the answer',
    from: 'messages',
    field: 'messages.content.fallback',
  },
  {
    what: 'summaries by the provider, sent as user text in place of the turns before them',
    from: 'messages',
    field: 'messages.content.compaction',
    result: 'changed',
  },
  {
    what: 'tools that join the conversation; the other provider has them from the beginning',
    from: 'messages',
    field: 'messages.content.tool_addition',
    result: 'changed',
  },
  {
    what: 'tools that leave the conversation; the other provider never has them',
    from: 'messages',
    field: 'messages.content.tool_removal',
    result: 'changed',
  },
  {
    what: 'results of searches for tools',
    from: 'messages',
    field: 'messages.content.tool_search_tool_result',
  },
  {
    what: 'the rejection of an image that is too large; the other provider scales the image',
    from: 'messages',
    field: 'messages.content.image.transformations',
  },
  { what: 'the token budget of a task', from: 'messages', field: 'output_config.task_budget' },
  {
    what: 'the callers of a tool, such as code of the provider',
    from: 'messages',
    field: 'tools.allowed_callers',
  },
  {
    what: 'tools that a search loads later; the other provider has them from the beginning',
    from: 'messages',
    field: 'tools.defer_loading',
  },
  {
    what: 'arguments that are streamed without a check',
    from: 'messages',
    field: 'tools.eager_input_streaming',
  },
  { what: 'examples of the input of a tool', from: 'messages', field: 'tools.input_examples' },
  { what: 'the context of a document', from: 'converse', field: 'document.context' },
  { what: 'citations of a document', from: 'converse', field: 'document.citations' },
  { what: 'citations of search results', from: 'converse', field: 'search_result.citations' },
  {
    what: 'citations in earlier answers',
    from: 'converse',
    field: 'messages.content.citationsContent.citations',
  },
  { what: 'citations of documents', from: 'cohere', field: 'documents.citations' },
  { what: 'citations in earlier answers', from: 'cohere', field: 'messages.citations' },
  { what: 'log probabilities of tokens', from: 'cohere', field: 'logprobs' },
  {
    what: 'calls of MCP servers by the provider, sent as text',
    from: 'responses',
    field: 'input.mcp_call',
    result: 'changed',
  },
  {
    what: 'code that the provider ran, and its output, sent as text',
    from: 'responses',
    field: 'input.code_interpreter_call',
    result: 'changed',
  },
  {
    what: 'a message from another agent, sent as marked text in a user turn',
    from: 'responses',
    field: 'input.agent_message',
    result: 'changed',
  },
  {
    what: 'the output of a tool without a call, sent as marked text in a user turn',
    from: 'responses',
    field: 'input.function_call_output',
    result: 'changed',
  },
  {
    what: 'the schema of a function’s response',
    from: 'generate',
    field: 'tools.functionDeclarations.response',
  },
  {
    what: 'the JSON schema of a function’s response',
    from: 'generate',
    field: 'tools.functionDeclarations.responseJsonSchema',
  },
  {
    what: 'calls of tools that the provider ran, sent as text',
    from: 'generate',
    field: 'contents.parts.toolCall',
    result: 'changed',
  },
  {
    what: 'results of tools that the provider ran, sent as text',
    from: 'generate',
    field: 'contents.parts.toolResponse',
    result: 'changed',
  },
  {
    what: 'calls of tools that the provider ran, sent as text',
    from: 'converse',
    field: 'messages.content.toolUse.type',
    result: 'changed',
  },
  {
    what: 'results of tools that the provider ran, sent as text',
    from: 'converse',
    field: 'messages.content.toolResult.type',
    result: 'changed',
  },
  {
    what: 'a memory tool that the client runs, sent as a function with the commands of the client’s own tool',
    from: 'messages',
    field: 'tools.memory',
    result: 'changed',
  },
  { what: 'a record of a web search by the provider', from: 'responses', field: 'input.web_search_call' },
  { what: 'a record of a file search by the provider', from: 'responses', field: 'input.file_search_call' },
  { what: 'a record of a tool search', from: 'responses', field: 'input.tool_search_call' },
  { what: 'the list of tools of an MCP server', from: 'responses', field: 'input.mcp_list_tools' },
  {
    what: 'the callers of a tool, such as code of the provider',
    from: 'responses',
    field: 'tools.allowed_callers',
  },
  { what: 'a tool that runs while the model continues', from: 'responses', field: 'tools.async' },
  {
    what: 'tools that a search loads later; the other provider has them from the beginning',
    from: 'responses',
    field: 'tools.defer_loading',
  },
  { what: 'the schema of a tool’s output', from: 'responses', field: 'tools.output_schema' },
  { what: 'the phase of a message', from: 'responses', field: 'input.phase' },
  {
    what: 'safety checks that OpenAI required before a computer action',
    from: 'responses',
    field: 'input.pending_safety_checks',
  },
  {
    what: 'safety checks that the client acknowledged',
    from: 'responses',
    field: 'input.acknowledged_safety_checks',
  },
  { what: 'the name of a participant', from: 'chat', field: 'messages.name' },
  {
    what: 'cache breakpoints on messages that have only tool calls',
    from: 'chat',
    field: 'messages.cache_control',
  },
  { what: 'citations in earlier answers', from: 'chat', field: 'messages.annotations' },
  { what: 'sealed reasoning in OpenRouter’s form', from: 'chat', field: 'messages.reasoning_details' },
  { what: 'images in earlier answers in OpenRouter’s form', from: 'chat', field: 'messages.images' },
  { what: 'citations in earlier answers', from: 'messages', field: 'messages.content.citations' },
  {
    what: 'cache breakpoints on tool calls and inside search results',
    from: 'messages',
    field: 'messages.content.cache_control',
  },
  { what: 'the code of the provider that called a tool', from: 'messages', field: 'messages.content.caller' },
  {
    what: 'the set of tools to which a tool call or its result belongs',
    from: 'messages',
    field: 'messages.content.toolset_name',
  },
  {
    what: 'the check that binds thoughts to their conversation',
    from: 'messages',
    field: 'thinking.block_binding',
  },
  { what: 'citations in earlier answers', from: 'responses', field: 'input.content.annotations' },
  { what: 'the detail setting of a file', from: 'responses', field: 'input.content.detail' },
  { what: 'the program of the provider that called a tool', from: 'responses', field: 'input.caller' },
  { what: 'a tool call that runs while the model continues', from: 'responses', field: 'input.async' },
  {
    what: 'random text that hides the size of chunks',
    from: 'responses',
    field: 'stream_options.include_obfuscation',
  },
  {
    what: 'the place and language of the end user for searches',
    from: 'generate',
    field: 'toolConfig.retrievalConfig',
  },
  {
    what: 'calls of tools that the provider runs, as parts of the answer',
    from: 'generate',
    field: 'toolConfig.includeServerSideToolInvocations',
  },
  {
    what: 'arguments of functions in pieces',
    from: 'generate',
    field: 'toolConfig.functionCallingConfig.streamFunctionCallArguments',
  },
  {
    what: 'a function that runs while the model continues',
    from: 'generate',
    field: 'tools.functionDeclarations.behavior',
  },
  {
    what: 'the time at which the model continues after a function',
    from: 'generate',
    field: 'contents.parts.functionResponse.scheduling',
  },
  {
    what: 'a resolution of media for which other providers have no setting',
    from: 'generate',
    field: 'contents.parts.mediaResolution',
  },
  { what: 'the name of an image', from: 'generate', field: 'contents.parts.inlineData.displayName' },
  {
    what: 'code that the provider ran, sent as text',
    from: 'generate',
    field: 'contents.parts.executableCode',
    result: 'changed',
  },
  {
    what: 'the output of code that the provider ran, sent as text',
    from: 'generate',
    field: 'contents.parts.codeExecutionResult',
    result: 'changed',
  },
]
