import { inner } from '../known-tools.ts';
import { type Stage, stagesOf } from '../shell.ts';

/** What a command line's programs can print. */
export interface Prints {
  tests: boolean;
  /** The program itself builds, checks or installs; a runner only may. */
  build: 'surely' | 'maybe' | undefined;
  log: boolean;
  listing: boolean;
  search: boolean;
}

/** They only pick from, or order, what another program prints. */
const FILTERS =
  /^(?:grep|egrep|rg|sed|awk|head|tail|sort|uniq|tee|cut|tr|wc|less|more|cat|column|nl|Select-Object|Select-String|Out-String)$/;
/** They print nothing that counts. */
const SILENT =
  /^(?:cd|pushd|popd|export|set|unset|source|\.|echo|printf|mkdir|rm|cp|mv|touch|sleep|true|false|done|fi|esac|for|read|nvm|conda|exit)$/;
/** They run whatever a project has put there. */
const RUNNERS =
  /^(?:npm|pnpm|yarn|bun|make|gmake|just|task|nx|turbo|lerna|rake|composer|invoke|bazel|rush|moon|tox|nox|mvnw?|gradlew?|sbt|ant|docker|podman|docker-compose|\S*(?:test|check|build|lint|install|setup)\S*)$/;
const TESTS =
  /^(?:vitest|jest|mocha|ava|tape?|node|python[\d.]*|pytest|py\.test|unittest|nose2|rspec|phpunit|pest|playwright|cypress|ruby|php|deno test|cargo (?:test|t|nextest)|go test|dotnet (?:test|vstest)|mix test|swift test|flutter test)$/;
const BUILDS =
  /^(?:tsc|vue-tsc|eslint|biome|oxlint|prettier|stylelint|ruff|flake8|pylint|mypy|pyright|black|golangci-lint|cmake|ninja|meson|gcc|g\+\+|cc|c\+\+|clang|clang\+\+|rustc|javac|pip[\d.]*|uv|poetry|pipenv|conda|apt|apt-get|apk|brew|dnf|yum|gem|bundle|webpack|vite|rollup|rolldown|esbuild|next|nuxt|astro|parcel|tsup|cargo \S+|go (?:build|vet|install|mod|get)|dotnet (?:build|restore|publish)|swift build)$/;
const LISTINGS =
  /^(?:ls|find|fd|fdfind|tree|dir|du|Get-ChildItem|git ls-files|git ls-tree|npm (?:ls|list)|pnpm (?:ls|list)|cargo tree)$/;
const SEARCHES = /^(?:grep|egrep|fgrep|rg|ag|ack|git grep|Select-String|findstr)$/;
const SUBCOMMANDS = /^(?:git|cargo|go|dotnet|deno|mix|swift|flutter|npm|pnpm)$/;

/** Which programs a command line runs, as far as what it prints is concerned. */
export function printsOf(command: string): Prints {
  const programs = inner(stagesOf(command))
    .filter(
      (stage) =>
        !stage.isSaved && !SILENT.test(stage.program) && !(stage.isFed && FILTERS.test(stage.program)),
    )
    .map(taskOf);
  const some = (form: RegExp) => programs.some((program) => form.test(program));
  const every = (form: RegExp) => programs.length > 0 && programs.every((program) => form.test(program));
  const isRunner = programs.some((program) => RUNNERS.test(program.split(' ')[0]!));
  return {
    tests: isRunner || some(TESTS),
    build: some(BUILDS) ? 'surely' : isRunner ? 'maybe' : undefined,
    listing: every(LISTINGS),
    search: every(SEARCHES),
    log:
      programs.length > 0 &&
      !programs.some((program) => LISTINGS.test(program) || SEARCHES.test(program) || /^git /.test(program)),
  };
}

function taskOf({ program, words }: Stage): string {
  const runs =
    program === 'xargs' ? words.find((word) => SEARCHES.test(word) || LISTINGS.test(word)) : undefined;
  if (runs !== undefined) return runs;
  const task = SUBCOMMANDS.test(program) ? words.find((word) => !/^[-+]/.test(word)) : undefined;
  return task === undefined ? program : `${program} ${task}`;
}
