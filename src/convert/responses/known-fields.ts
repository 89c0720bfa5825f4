import { knownFields } from '#convert/unread-fields.ts'

export const responsesFields = knownFields(`
  input(|message): type role content id status phase
  input(|message).content(input_text|output_text|text): type text prompt_cache_breakpoint logprobs parsed
  input(|message).content(refusal): type refusal
  input(|message).content(input_image): type image_url detail prompt_cache_breakpoint
  input(|message).content(input_file): type file_data file_url filename prompt_cache_breakpoint detail=auto
  input(function_call): type id call_id name arguments parsed_arguments status namespace caller=direct
  input(custom_tool_call): type id call_id name input status namespace caller=direct
  input(function_call_output): type id call_id output status name namespace caller=direct
  input(custom_tool_call_output): type id call_id output status name namespace caller=direct
  input(reasoning): type id summary content encrypted_content status
  input(computer_call): type id call_id action actions status pending_safety_checks
  input(computer_call_output): type id call_id output status acknowledged_safety_checks
  input(function_call_output|custom_tool_call_output).output = input.content
  tools(|function): type name description parameters strict allowed_callers async defer_loading output_schema
  tools(custom): type name description format allowed_callers async defer_loading
  tools(namespace): type name description tools
  tools(namespace).tools = tools
  reasoning: effort summary generate_summary context mode
  text: format verbosity
  text.format: type name description schema strict
  stream_options: include_usage
`)
