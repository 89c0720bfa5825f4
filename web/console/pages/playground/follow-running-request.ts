import { useRef, useState } from 'react'
import type { Asked } from '#sdk/client-snippets.ts'
import { useAnswer, type AnswerOf } from '../../operations/use-operation.ts'
import type { Scope } from '../../application-and-mode.ts'
import { notBegun, runCall, type Progress } from './send-playground-request.ts'

export interface Run {
  readonly progress: Progress | null
  readonly told: AnswerOf<'requests.explain'> | undefined
  readonly isRunning: boolean
  readonly start: (given: {
    readonly asked: Asked
    readonly gateway: string
    readonly key: string
  }) => Promise<void>
  readonly stop: () => void
}

export function useRun(scope: Scope): Run {
  const [progress, setProgress] = useState<Progress | null>(null)
  const abort = useRef<AbortController | null>(null)
  const id = progress?.requestId ?? null
  const isRunning = progress?.kind === 'sending' || progress?.kind === 'answering'
  const [endedId, setEndedId] = useState<string | null>(null)
  const { data, isPlaceholderData } = useAnswer(
    'requests.explain',
    { id: id ?? '' },
    // The gateway reads the response to its end after a disconnection, so the request ends later than its connection.
    { isEnabled: id !== null, everyMs: id !== null && endedId !== id ? 700 : 0, scope },
  )
  const told = isPlaceholderData || data?.id !== id ? undefined : data
  if (told && told.status !== 'in_flight' && endedId !== told.id && !isRunning) setEndedId(told.id)
  return {
    progress,
    told,
    isRunning,
    async start({ asked, gateway, key }) {
      abort.current?.abort()
      const stopping = new AbortController()
      abort.current = stopping
      setProgress(notBegun)
      await runCall({
        asked,
        gateway,
        key,
        signal: stopping.signal,
        onProgress: (next) => abort.current === stopping && setProgress(next),
      })
    },
    stop: () => abort.current?.abort(),
  }
}
