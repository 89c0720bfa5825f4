import { taskOfModel } from '#domain/prices/task-from-model-name.ts'
import { rejection, type Rejection } from './simulated-rejection.ts'
import type { CallFacts } from './wire-simulator-interface.ts'

export function foreignTask({ model }: Pick<CallFacts, 'model'>): Rejection | null {
  const task = taskOfModel(model)
  if (task === null) return null
  const path = taskPaths[task] ?? `/v1/${task}`
  return rejection(`The model ${model} does not write text. Send the request to ${path}.`, 'model')
}

const taskPaths: Readonly<Record<string, string>> = {
  images: '/v1/images/generations',
  speech: '/v1/audio/speech',
  transcriptions: '/v1/audio/transcriptions',
}
