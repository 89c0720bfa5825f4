import type { Mode } from './application-config.ts'

export type OnboardingStage = 'fund_and_try' | 'complete'

/** The stages of an organization's setup that are finished, separately for each mode. */
export interface Onboarding {
  /** Returns null if the stage is not finished. */
  finishedAtMs(organizationId: string, mode: Mode, stage: OnboardingStage): Promise<number | null>
  /** Records the time, unless the stage was already finished. */
  finish(organizationId: string, mode: Mode, stage: OnboardingStage, nowMs: number): Promise<void>
}
