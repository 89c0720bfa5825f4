import { knownFields } from '#convert/unread-fields.ts'

export const messagesFields = knownFields(`
  system: type text cache_control
  messages: role content clear_at output_config
  messages.output_config: effort
  messages.content(text): type text cache_control
  messages.content(image): type source cache_control transformations
  messages.content(image).source: type media_type data url
  messages.content(document): type source title context citations cache_control
  messages.content(document).source: type media_type data url content
  messages.content(search_result): type source title content citations cache_control
  messages.content(search_result).content: type text
  messages.content(thinking): type thinking signature
  messages.content(redacted_thinking): type data
  messages.content(tool_use): type id name input caller=direct
  messages.content(tool_result): type tool_use_id content is_error cache_control
  messages.content(tool_reference): type tool_name cache_control
  messages.content(document).source.content = messages.content
  messages.content(tool_result).content = messages.content
  tools(|custom): type name description input_schema strict cache_control
  tools(|custom): allowed_callers defer_loading eager_input_streaming input_examples
  tool_choice: type name disable_parallel_tool_use
  thinking: type budget_tokens display=summarized|omitted
  metadata: user_id
`)
