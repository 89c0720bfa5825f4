import type { ReactNode } from 'react'
import { Waterfall } from '#web/ui/charts/waterfall.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { durationText } from '#web/ui/number-text.ts'
import { holdOf, phasesOf, totalMsOf, type Told } from './waterfall-phases.ts'

export function CallWaterfall({ told }: { readonly told: Told }): ReactNode {
  return (
    <Waterfall
      label="Timeline"
      isHeading
      phases={phasesOf(told)}
      totalMs={totalMsOf(told)}
      hold={holdOf(told)}
      format={(micros) => moneyText(micros)}
      formatMs={durationText}
    />
  )
}
