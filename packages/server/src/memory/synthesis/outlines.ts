import type { SynthesisType } from '@infold/protocol';

export interface OutlineSection {
  title: string;
  purpose: string;
  /** Kinds that belong here before others do. */
  kinds: readonly string[];
  /** Words that lead an item here. */
  words: string;
}

const section = (title: string, purpose: string, kinds: string, words: string): OutlineSection => ({
  title,
  purpose,
  kinds: kinds.split(' ').filter((kind) => kind !== ''),
  words,
});

const RAW = 'session episode note event';

/** One fixed outline for each type: the same request gives the same sections. */
export const OUTLINES: Record<SynthesisType, readonly OutlineSection[]> = {
  documentation: [
    section(
      'Overview',
      'What this is and who it is for',
      'domain topic project document claim',
      'overview purpose goal what introduction',
    ),
    section(
      'Concepts',
      'The terms and ideas a reader needs',
      'domain topic claim',
      'concept model term meaning architecture',
    ),
    section(
      'How It Works',
      'The parts and how they act together',
      'artifact document decision source config_file',
      'design component flow implementation structure',
    ),
    section(
      'How To',
      'What a reader does, step by step',
      'procedure template tool guide',
      'step run install configure use',
    ),
    section(
      'Rules And Limits',
      'What must be kept to',
      'rule guide decision',
      'must limit never always constraint',
    ),
    section(
      'Known Problems',
      'What goes wrong and what helps',
      'error_pattern pattern',
      'error problem fail fix workaround',
    ),
  ],
  report: [
    section('Summary', 'What was found, in short', `claim decision ${RAW}`, 'summary result finding outcome'),
    section(
      'Background',
      'Why it was looked into',
      'domain topic project plan',
      'background why context reason goal',
    ),
    section(
      'Findings',
      'What the sources say',
      `claim artifact document ${RAW}`,
      'found result measured shows evidence',
    ),
    section('Decisions', 'What was decided and on what grounds', 'decision', 'decide chose because'),
    section(
      'Risks And Open Questions',
      'What is unsure',
      'error_pattern pattern idea',
      'risk open question unknown',
    ),
    section('Next Steps', 'What follows', 'task plan epic', 'next todo follow plan'),
  ],
  briefing: [
    section('Situation', 'Where things stand', `project task ${RAW}`, 'now current status state'),
    section(
      'What Matters',
      'Decisions and rules to know',
      'decision rule guide claim',
      'important decided must',
    ),
    section('Watch Out', 'Traps that are known', 'error_pattern pattern', 'error risk careful fail'),
    section('Next Actions', 'What to do first', 'task plan procedure', 'next do start step'),
  ],
  roadmap: [
    section(
      'Current State',
      'What exists today',
      `project artifact document ${RAW}`,
      'current today exists state',
    ),
    section('Completed Work', 'What is done', `task epic ${RAW}`, 'done complete finished shipped released'),
    section(
      'Next Milestones',
      'What comes next, in order',
      'plan task epic milestone',
      'next milestone plan quarter will',
    ),
    section(
      'Risks And Open Questions',
      'What could change the plan',
      'error_pattern pattern idea claim decision',
      'risk open question blocked unknown',
    ),
  ],
  release_notes: [
    section(
      'Highlights',
      'What users will notice first',
      'artifact decision task epic',
      'new release feature highlight',
    ),
    section('Added', 'What is new', 'artifact task epic', 'add added new support'),
    section('Changed', 'What is different', 'decision task', 'change changed rename move now'),
    section(
      'Fixed',
      'What was wrong and is right',
      'error_pattern task pattern',
      'fix fixed bug error crash',
    ),
    section('Upgrade Notes', 'What users must do', 'procedure rule guide', 'upgrade migrate breaking must'),
  ],
  audit_packet: [
    section('Scope', 'What is covered', 'project domain document', 'scope cover audit'),
    section('Decisions And Rationale', 'Who decided what, and why', 'decision', 'decide because rationale'),
    section('Controls And Rules', 'What is enforced', 'rule guide procedure', 'must control policy rule'),
    section(
      'Evidence',
      'What shows it',
      `artifact document source claim test ${RAW}`,
      'evidence test log result verified',
    ),
    section(
      'Exceptions And Gaps',
      'Where it does not hold',
      'error_pattern pattern',
      'exception gap missing incident',
    ),
  ],
  handbook: [
    section(
      'Start Here',
      'The first things to know',
      'guide domain project document',
      'start first introduction overview',
    ),
    section('How We Work', 'Rules and habits', 'rule guide decision preference', 'always never must agree'),
    section('Procedures', 'How things are done', 'procedure template tool', 'step how run do'),
    section('Gotchas', 'What has gone wrong before', 'error_pattern pattern', 'error careful problem fail'),
    section(
      'Reference',
      'Where things are',
      'artifact document source config_file',
      'file link reference where',
    ),
  ],
  custom: [
    section('Context', 'What the goal is about', `domain topic project claim ${RAW}`, 'context background'),
    section(
      'Substance',
      'What the sources say about it',
      `artifact document decision claim procedure rule ${RAW}`,
      'what how',
    ),
    section(
      'Open Points',
      'What is missing or contested',
      'idea plan task error_pattern pattern',
      'open question next',
    ),
  ],
};
