import {
  inputTokens,
  systemText,
  token,
  userText,
  wholeText,
  wholeTokens,
  type BenchWire,
} from './wire-format-interface.ts'

export const generate: BenchWire = {
  name: 'generate',
  path: (model, isStream) =>
    `/v1beta/models/${encodeURIComponent(model)}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: () => ({
    systemInstruction: { parts: [{ text: systemText }] },
    contents: [{ role: 'user', parts: [{ text: userText }] }],
    generationConfig: { temperature: 0.7, maxOutputTokens: 1000 },
  }),
  answer: (model) => answer(model, wholeText(), 'STOP', wholeTokens),
  frames(model, chunks) {
    const frame = (data: object) => `data: ${JSON.stringify(data)}\r\n\r\n`
    const content = frame(answer(model, token, null, 1))
    return { opening: '', contents: [content], closing: frame(answer(model, '', 'STOP', chunks)) }
  },
  blank: '\r\n\r\n',
  textMark: `"text":"${token}"`,
  usageMark: new RegExp(`"promptTokenCount":${inputTokens}\\b`),
}

function answer(model: string, text: string, finishReason: string | null, outputTokens: number): object {
  return {
    candidates: [
      {
        content: { parts: [{ text }], role: 'model' },
        ...(finishReason === null ? {} : { finishReason }),
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens,
      totalTokenCount: inputTokens + outputTokens,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: inputTokens }],
    },
    modelVersion: model,
    responseId: 'BenchAnswer00000000000000',
  }
}
