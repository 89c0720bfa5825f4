import { knownFields } from '#convert/unread-fields.ts'

export const generateFields = knownFields(`
  systemInstruction: role parts
  systemInstruction.parts: text
  contents: role parts
  contents.parts: text thought thoughtSignature inlineData fileData functionCall functionResponse
  contents.parts: executableCode codeExecutionResult toolCall toolResponse mediaResolution videoMetadata partMetadata
  contents.parts.inlineData: mimeType data displayName
  contents.parts.fileData: mimeType fileUri displayName
  contents.parts.functionCall: name id args partialArgs willContinue
  contents.parts.functionResponse: name id response parts
  contents.parts.functionResponse.parts: inlineData fileData
  contents.parts.functionResponse.parts.inlineData: mimeType data displayName
  contents.parts.functionResponse.parts.fileData: mimeType fileUri displayName
  contents.parts.executableCode: code language id
  contents.parts.codeExecutionResult: outcome output id
  tools: functionDeclarations *
  tools.functionDeclarations: name description parameters parametersJsonSchema response responseJsonSchema
  tools.functionDeclarations: behavior=blocking|unspecified
  toolConfig: functionCallingConfig
  toolConfig.functionCallingConfig: mode allowedFunctionNames
  generationConfig: *
  generationConfig.thinkingConfig: includeThoughts thinkingBudget
  generationConfig.thinkingConfig: thinkingLevel=minimal|low|medium|high|thinking_level_unspecified
`)
