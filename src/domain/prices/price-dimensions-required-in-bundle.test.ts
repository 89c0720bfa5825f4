import { expect, it } from 'vitest'
import {
  bundlePriceDimensions,
  modelsOfName,
  type NameTargets,
} from './price-dimensions-required-in-bundle.ts'

it.each([
  [['text-embedding-3-small', 'BAAI/bge-m3'], ['input']],
  [['omni-moderation-latest'], ['input']],
  [
    ['text-embedding-3-small', 'gpt-4o'],
    ['input', 'output'],
  ],
  [['llama-guard-3'], ['input', 'output']],
  [[], ['input', 'output']],
])('the price of a bundle for the models %j needs rates for %j', (models, dimensions) => {
  expect(bundlePriceDimensions(models)).toEqual(dimensions)
})

it('a model name is resolved through routers, and the resolution ends even if routers refer to each other', () => {
  const names: Readonly<Record<string, NameTargets>> = {
    vectors: { models: ['bge-m3'], names: ['small', 'none'] },
    small: { models: ['text-embedding-3-small'], names: [] },
    circle: { models: ['e5-large'], names: ['circle'] },
  }
  const targetsOf = (name: string): NameTargets | null => names[name] ?? null
  expect(modelsOfName('vectors', targetsOf)).toEqual(['bge-m3', 'text-embedding-3-small'])
  expect(modelsOfName('none', targetsOf)).toEqual([])
  expect(new Set(modelsOfName('circle', targetsOf))).toEqual(new Set(['e5-large']))
})
