import type { Mode } from './application-config.ts'

export type OnboardingStage = 'fund_and_try' | 'complete'

/** The stages of an organization's set-up that are finished, each mode on its own. */
export interface Onboarding {
  /** Null: not finished. */
  finishedAtMs(organizationId: string, mode: Mode, stage: OnboardingStage): Promise<number | null>
  /** Notes the time, unless the stage was finished before. */
  finish(organizationId: string, mode: Mode, stage: OnboardingStage, nowMs: number): Promise<void>
}
