import type { ReactNode } from 'react'
import { Waterfall } from '#web/ui/charts/waterfall.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { durationText } from '#web/ui/number-text.ts'
import { holdOf, phasesOf, totalMsOf, type Told } from './phases-of.ts'

/** The course of the call, with its money at the right. */
export function CallWaterfall({ told }: { readonly told: Told }): ReactNode {
  return (
    <Waterfall
      label="Course of the call"
      phases={phasesOf(told)}
      totalMs={totalMsOf(told)}
      hold={holdOf(told)}
      format={(micros) => moneyText(micros)}
      formatMs={durationText}
    />
  )
}
