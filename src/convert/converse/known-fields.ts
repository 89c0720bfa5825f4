import { knownFields } from '#convert/unread-fields.ts'

export const converseFields = knownFields(`
  system: text cachePoint
  messages: role content
  messages.content: text image document video toolUse toolResult reasoningContent cachePoint searchResult
  messages.content: citationsContent
  messages.content.image: format source
  messages.content.document: format name source context citations
  messages.content.document.source: bytes text content
  messages.content.video: format source
  messages.content.toolUse: toolUseId name input type
  messages.content.toolResult: toolUseId content status type
  messages.content.reasoningContent: reasoningText redactedContent
  messages.content.reasoningContent.reasoningText: text signature
  messages.content.searchResult: source title content citations
  messages.content.citationsContent: content citations
  messages.content.citationsContent.content: text
  toolConfig: tools toolChoice
  toolConfig.tools: toolSpec cachePoint
  toolConfig.tools.toolSpec: name description inputSchema strict
  inferenceConfig: maxTokens temperature topP stopSequences
  outputConfig: textFormat effort
  outputConfig.textFormat: type structure
  outputConfig.textFormat.structure.jsonSchema: name description schema
  additionalModelRequestFields: *
  additionalModelRequestFields.thinking: type budget_tokens display=summarized|omitted
  additionalModelRequestFields.output_config: effort format
  additionalModelRequestFields.inferenceConfig: topK
`)
