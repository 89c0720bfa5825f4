/**
 * The fixtures list only the calls of each end user, and the payment source of each call. Usage, wallets and pools are
 * calculated from these lists (demo-tenant.ts), so the figures in a response always agree.
 */
import type { Plan, TenantFixture } from './types-of-tenant-fixtures.ts'

const starter: Plan = {
  name: 'Starter',
  priceMicros: 0n,
  interval: 'month',
  pools: [
    {
      slug: 'welcome',
      displayName: 'Welcome credit',
      unit: 'micros',
      granted: 2_000_000n,
      spilloverTo: null,
      thenOnDemand: false,
      models: ['acme/fast'],
    },
  ],
}

const pro: Plan = {
  name: 'Pro',
  priceMicros: 20_000_000n,
  interval: 'month',
  pools: [
    {
      slug: 'fast-tokens',
      displayName: 'Fast tokens',
      unit: 'tokens',
      granted: 2_000_000n,
      spilloverTo: 'allowance',
      thenOnDemand: true,
      models: ['acme/fast'],
    },
    {
      slug: 'allowance',
      displayName: 'Monthly allowance',
      unit: 'micros',
      granted: 12_000_000n,
      spilloverTo: null,
      thenOnDemand: true,
      models: ['acme/fast', 'acme/smart'],
    },
  ],
}

const proYearly: Plan = {
  name: 'Pro, yearly',
  priceMicros: 200_000_000n,
  interval: 'year',
  pools: [
    {
      slug: 'yearly-allowance',
      displayName: 'Yearly allowance',
      unit: 'micros',
      granted: 150_000_000n,
      spilloverTo: null,
      thenOnDemand: true,
      models: ['acme/fast', 'acme/smart'],
    },
  ],
}

const acme: TenantFixture = {
  slug: 'acme',
  displayName: 'Acme',
  branding: { productName: 'Acme Notes', primaryColor: '#2f5fd0' },
  prices: {
    'acme/fast': { input: 150_000n, output: 600_000n },
    'acme/smart': { input: 3_000_000n, output: 15_000_000n },
  },
  defaultPlan: starter,
  people: [
    {
      externalId: 'cleo',
      email: 'cleo@acme.example',
      plan: proYearly,
      subscribedDays: 500,
      invoices: ['paid', 'paid'],
      onDemand: { isEnabled: true, limitMicros: null },
      toppedUpMicros: 10_000_000n,
      reservedMicros: 0n,
      calls: [
        {
          model: 'acme/fast',
          calls: 52,
          inputTokens: 700_000,
          outputTokens: 200_000,
          paidBy: { pool: 'yearly-allowance' },
        },
        {
          model: 'acme/smart',
          calls: 310,
          inputTokens: 4_000_000,
          outputTokens: 900_000,
          paidBy: { pool: 'yearly-allowance' },
        },
      ],
      keys: [
        {
          name: 'Contractor',
          actorType: 'member',
          actorLabel: 'Mia',
          createdDays: 120,
          lastUsedDays: 31,
          revokedDays: null,
          expiresDays: 30,
        },
        {
          name: 'Desktop',
          actorType: 'token',
          actorLabel: 'Backend',
          createdDays: 90,
          lastUsedDays: 1,
          revokedDays: null,
          expiresDays: -275,
        },
      ],
    },
    {
      externalId: 'ada',
      email: 'ada@acme.example',
      plan: pro,
      subscribedDays: 220,
      invoices: ['open', 'past_due', 'paid'],
      onDemand: { isEnabled: true, limitMicros: 10_000_000n },
      toppedUpMicros: 750_000n,
      reservedMicros: 0n,
      calls: [
        {
          model: 'acme/fast',
          calls: 180,
          inputTokens: 1_600_000,
          outputTokens: 400_000,
          paidBy: { pool: 'fast-tokens' },
        },
        {
          model: 'acme/fast',
          calls: 30,
          inputTokens: 300_000,
          outputTokens: 125_000,
          paidBy: { pool: 'allowance' },
        },
        {
          model: 'acme/smart',
          calls: 95,
          inputTokens: 2_460_000,
          outputTokens: 300_000,
          paidBy: { pool: 'allowance' },
        },
        { model: 'acme/smart', calls: 5, inputTokens: 100_000, outputTokens: 30_000, paidBy: 'wallet' },
        { model: 'acme/smart', calls: 8, inputTokens: 200_000, outputTokens: 60_000, paidBy: 'on_demand' },
      ],
      keys: [
        {
          name: 'Old laptop',
          actorType: 'token',
          actorLabel: 'Backend',
          createdDays: 200,
          lastUsedDays: 45,
          revokedDays: 41,
          expiresDays: null,
        },
        {
          name: 'Laptop',
          actorType: 'token',
          actorLabel: 'Backend',
          createdDays: 41,
          lastUsedDays: 0.1,
          revokedDays: null,
          expiresDays: null,
        },
      ],
    },
    {
      externalId: 'ben',
      email: null,
      plan: starter,
      subscribedDays: 20,
      invoices: [],
      onDemand: { isEnabled: false, limitMicros: null },
      toppedUpMicros: 5_000_000n,
      reservedMicros: 48_000n,
      calls: [
        {
          model: 'acme/fast',
          calls: 40,
          inputTokens: 500_000,
          outputTokens: 150_000,
          paidBy: { pool: 'welcome' },
        },
        { model: 'acme/smart', calls: 6, inputTokens: 60_000, outputTokens: 20_000, paidBy: 'wallet' },
      ],
      keys: [
        {
          name: 'ben',
          actorType: 'token',
          actorLabel: 'Backend',
          createdDays: 20,
          lastUsedDays: 0,
          revokedDays: null,
          expiresDays: null,
        },
        {
          name: 'Phone',
          actorType: 'end_user',
          actorLabel: null,
          createdDays: 3,
          lastUsedDays: null,
          revokedDays: null,
          expiresDays: -87,
        },
      ],
    },
  ],
  orphanKeys: [
    {
      name: 'dana',
      actorType: 'token',
      actorLabel: 'Backend',
      createdDays: 300,
      lastUsedDays: 250,
      revokedDays: 240,
      expiresDays: null,
    },
  ],
}

const basic: Plan = {
  name: 'Basic',
  priceMicros: 0n,
  interval: 'month',
  pools: [
    {
      slug: 'trial-tokens',
      displayName: 'Trial tokens',
      unit: 'tokens',
      granted: 1_000_000n,
      spilloverTo: null,
      thenOnDemand: false,
      models: ['globex/coder', 'globex/review'],
    },
  ],
}

const team: Plan = {
  name: 'Team',
  priceMicros: 50_000_000n,
  interval: 'month',
  pools: [
    {
      slug: 'coder-tokens',
      displayName: 'Coder tokens',
      unit: 'tokens',
      granted: 5_000_000n,
      spilloverTo: 'credit',
      thenOnDemand: true,
      models: ['globex/coder'],
    },
    {
      slug: 'credit',
      displayName: 'Team credit',
      unit: 'micros',
      granted: 20_000_000n,
      spilloverTo: null,
      thenOnDemand: false,
      models: ['globex/coder', 'globex/review'],
    },
  ],
}

const globex: TenantFixture = {
  slug: 'globex',
  displayName: 'Globex',
  branding: { productName: 'Globex Code', primaryColor: '#0b7a55' },
  prices: {
    'globex/coder': { input: 1_250_000n, output: 10_000_000n },
    'globex/review': { input: 250_000n, output: 2_000_000n },
  },
  defaultPlan: basic,
  people: [
    {
      externalId: 'user-42',
      email: 'dev@globex.example',
      plan: team,
      subscribedDays: 150,
      invoices: ['open', 'past_due', 'paid'],
      onDemand: { isEnabled: true, limitMicros: 25_000_000n },
      toppedUpMicros: 3_000_000n,
      reservedMicros: 120_000n,
      calls: [
        {
          model: 'globex/coder',
          calls: 220,
          inputTokens: 4_000_000,
          outputTokens: 1_000_000,
          paidBy: { pool: 'coder-tokens' },
        },
        {
          model: 'globex/coder',
          calls: 41,
          inputTokens: 800_000,
          outputTokens: 150_000,
          paidBy: { pool: 'credit' },
        },
        {
          model: 'globex/review',
          calls: 75,
          inputTokens: 1_200_000,
          outputTokens: 300_000,
          paidBy: { pool: 'credit' },
        },
      ],
      keys: [
        {
          name: 'CI',
          actorType: 'token',
          actorLabel: 'Deploy',
          createdDays: 140,
          lastUsedDays: 60,
          revokedDays: 59,
          expiresDays: null,
        },
        {
          name: 'Editor',
          actorType: 'member',
          actorLabel: 'Noor',
          createdDays: 59,
          lastUsedDays: 0.2,
          revokedDays: null,
          expiresDays: null,
        },
      ],
    },
    {
      externalId: 'user-77',
      email: null,
      plan: basic,
      subscribedDays: 9,
      invoices: [],
      onDemand: { isEnabled: false, limitMicros: null },
      toppedUpMicros: 0n,
      reservedMicros: 0n,
      calls: [
        {
          model: 'globex/review',
          calls: 12,
          inputTokens: 90_000,
          outputTokens: 30_000,
          paidBy: { pool: 'trial-tokens' },
        },
      ],
      keys: [
        {
          name: 'Trial',
          actorType: 'token',
          actorLabel: 'Deploy',
          createdDays: 9,
          lastUsedDays: 2,
          revokedDays: null,
          expiresDays: 1,
        },
      ],
    },
  ],
  orphanKeys: [
    {
      name: 'user-7',
      actorType: 'end_user',
      actorLabel: null,
      createdDays: 130,
      lastUsedDays: null,
      revokedDays: 100,
      expiresDays: null,
    },
  ],
}

export const fixtures: readonly TenantFixture[] = [acme, globex]
