/**
 * Tags in rows: the tags of a key, the labels of a call (labels-of-calls.ts), and an application's declared tags with
 * their limits.
 */
import assert from 'node:assert/strict'
import type { TagTerms } from '#domain/gateway-settings.ts'
import { rateRulesFromText, rateRulesToText, stringsFromText } from './json-columns.ts'

export function tagsToText(tags: readonly string[]): string | null {
  return tags.length === 0 ? null : JSON.stringify(tags)
}

export function tagsFromText(text: string | null): readonly string[] {
  return text === null ? noTags : stringsFromText(text)
}

const noTags: readonly string[] = []

export function tagTermsToText(tags: readonly TagTerms[]): string | null {
  return tags.length === 0
    ? null
    : JSON.stringify(tags.map(({ limits, slug }) => [slug, rateRulesToText(limits)]))
}

export function tagTermsFromText(text: string | null): readonly TagTerms[] {
  if (text === null) return noTerms
  const terms: unknown = JSON.parse(text)
  assert(Array.isArray(terms), 'declared tags are a list')
  return terms.map((one: unknown) => {
    const [slug, limits]: readonly unknown[] = Array.isArray(one) ? one : []
    assert(typeof slug === 'string' && (limits === null || typeof limits === 'string'), 'a tag has limits')
    return { slug, limits: rateRulesFromText(limits) }
  })
}

const noTerms: readonly TagTerms[] = []
