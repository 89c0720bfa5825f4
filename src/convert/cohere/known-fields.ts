import { knownFields } from '#convert/unread-fields.ts'

export const cohereFields = knownFields(`
  messages: role content tool_calls tool_call_id tool_plan citations name
  messages.content(text): type text
  messages.content(thinking): type thinking
  messages.content(image_url): type image_url
  messages.content(image_url).image_url: url detail
  messages.content(document): type document
  messages.content(document).document: id data
  messages.tool_calls: id index type function
  messages.tool_calls.function: name arguments
  tools: type function
  tools.function: name description parameters
  documents: id data
  response_format: type json_schema schema
  thinking: type token_budget
`)
