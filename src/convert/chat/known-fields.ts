import { knownFields } from '#convert/unread-fields.ts'

export const chatFields = knownFields(`
  messages: role name content tool_calls tool_call_id function_call refusal reasoning_content reasoning audio parsed
  messages: cache_control
  messages.content(text): type text prompt_cache_breakpoint cache_control
  messages.content(refusal): type refusal
  messages.content(image_url): type image_url prompt_cache_breakpoint cache_control
  messages.content(image_url).image_url: url detail
  messages.content(input_audio): type input_audio
  messages.content(input_audio).input_audio: data format
  messages.content(file): type file prompt_cache_breakpoint cache_control
  messages.content(file).file: file_data filename
  messages.content(document_url): type document_url document_name prompt_cache_breakpoint cache_control
  messages.content(document_url).document_url: url
  messages.content(file_url): type file_url document_name prompt_cache_breakpoint cache_control
  messages.content(file_url).file_url: url
  messages.content(thinking): type thinking closed
  messages.content(reasoning): type summary
  messages.tool_calls: id index type function custom extra_content
  messages.tool_calls.function: name arguments parsed_arguments
  messages.tool_calls.custom: name input
  messages.function_call: name arguments
  tools(|function): type function cache_control
  tools(|function).function: name description parameters strict cache_control
  tools(custom): type custom cache_control
  tools(custom).custom: name description format
  functions: name description parameters
  response_format: type json_schema schema
  response_format.json_schema: name description schema strict
  reasoning: effort enabled exclude max_tokens
  stream_options: include_usage
`)
