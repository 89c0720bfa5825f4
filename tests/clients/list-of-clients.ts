import {
  aiSdkAnthropic,
  aiSdkCompatible,
  aiSdkGoogle,
  aiSdkOpenaiChat,
  aiSdkOpenaiResponses,
} from './adapters/ai-sdk.ts'
import { anthropic0, anthropic1 } from './adapters/anthropic.ts'
import { genai2, genai3 } from './adapters/google-genai.ts'
import {
  langchainAnthropic,
  langchainGoogle,
  langchainOpenai,
  langchainResponses,
} from './adapters/langchain.ts'
import { mistral } from './adapters/mistral.ts'
import { agentsChat, agentsResponses } from './adapters/openai-agents.ts'
import { openaiChat, openaiChatHelper } from './adapters/openai-chat.ts'
import { openaiResponses, openaiResponsesHelper } from './adapters/openai-responses.ts'
import type { Client } from './client-interface.ts'

export const clients: readonly Client[] = [
  openaiChat,
  openaiChatHelper,
  aiSdkOpenaiChat,
  aiSdkCompatible,
  langchainOpenai,
  agentsChat,
  mistral,
  anthropic1,
  anthropic0,
  aiSdkAnthropic,
  langchainAnthropic,
  genai3,
  genai2,
  aiSdkGoogle,
  langchainGoogle,
  openaiResponses,
  openaiResponsesHelper,
  aiSdkOpenaiResponses,
  langchainResponses,
  agentsResponses,
]
