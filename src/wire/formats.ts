import { chat } from './chat/format.ts'
import type { WireFormat } from './format.ts'
import { generateErrorBody } from './generate/errors.ts'
import { parseGenerateRequest } from './generate/request.ts'
import { readGenerateAnswer } from './generate/response.ts'
import { GenerateStream } from './generate/stream.ts'
import { messagesErrorBody } from './messages/errors.ts'
import { parseMessagesRequest } from './messages/request.ts'
import { readMessagesResponse } from './messages/response.ts'
import { MessagesStream } from './messages/stream.ts'
import type { WireName } from './neutral.ts'
import { openaiErrorBody } from './openai-error.ts'
import { parseResponsesRequest } from './responses/request.ts'
import { readResponsesAnswer } from './responses/response.ts'
import { ResponsesStream } from './responses/stream.ts'

type Passing = Pick<WireFormat, 'parseRequest' | 'readAnswer' | 'openStream' | 'errorBody'>

/** Every wire format that the gateway speaks. */
export const formats: Readonly<Record<WireName, Passing>> = {
  chat,
  messages: {
    parseRequest: parseMessagesRequest,
    readAnswer: (text, { model }) => readMessagesResponse(text, model),
    openStream: ({ model }) => new MessagesStream(model),
    errorBody: messagesErrorBody,
  },
  generate: {
    parseRequest: parseGenerateRequest,
    readAnswer: (text, { model }) => readGenerateAnswer(text, model),
    openStream: (request) => new GenerateStream(request),
    errorBody: generateErrorBody,
  },
  responses: {
    parseRequest: parseResponsesRequest,
    readAnswer: (text, { model }) => readResponsesAnswer(text, model),
    openStream: ({ model }) => new ResponsesStream(model),
    errorBody: openaiErrorBody,
  },
}
