import MiniSearch from 'minisearch';
import type { MemoryNode } from './memory-node';

/** A node that contains words from the query, or similar ones. */
export interface MemoryHit {
  readonly id: string;
  readonly score: number;
  /** The words in the node that matched, in lower case and without accents. */
  readonly words: readonly string[];
}

const maxQueryWords = 16;
const maxWordLength = 64;
/** How many words besides the query's own may be indexed; limited so that no text can make a search expensive. */
const maxOtherForms = 20_000;

/**
 * A single search. Only words similar to the query's are indexed, so that a search costs little more than reading the
 * nodes. Add every node, then call `hits`.
 */
export class MemorySearch {
  readonly #queryWords: ReadonlySet<string>;
  readonly #otherForms = new Set<string>();
  readonly #index: MiniSearch<MemoryNode>;

  constructor(query: string) {
    this.#queryWords = new Set(wordsOf(query).slice(0, maxQueryWords));
    this.#index = new MiniSearch({
      fields: ['title', 'description', 'text'],
      tokenize: wordsOf,
      processTerm: (word) => (this.#isNear(word) ? word : null),
    });
  }

  add(node: MemoryNode): void {
    this.#index.add(node);
  }

  /**
   * Returns the nodes that contain any word from the query, or a longer or slightly different form of it. Scores are
   * BM25+, with titles weighted most.
   */
  hits(): readonly MemoryHit[] {
    return this.#index
      .search([...this.#queryWords].join(' '), {
        boost: { title: 4, description: 2, text: 1 },
        prefix: (word) => word.length > 2,
        fuzzy: (word) => (word.length > 4 ? 0.2 : false),
        maxFuzzy: 2,
      })
      .map(({ id, score, terms }) => ({ id: id as string, score, words: terms }));
  }

  #isNear(word: string): boolean {
    if (this.#queryWords.has(word) || this.#otherForms.has(word)) return true;
    if (this.#otherForms.size === maxOtherForms) return false;
    const isNear = [...this.#queryWords].some((queryWord) => mayMatch(word, queryWord));
    if (isNear) this.#otherForms.add(word);
    return isNear;
  }
}

/** Reports whether a word may be a longer or misspelled form of a query word with the same first letter. */
function mayMatch(word: string, queryWord: string): boolean {
  if (!word.startsWith(queryWord.charAt(0))) return false;
  return Math.abs(word.length - queryWord.length) <= 2 || word.startsWith(queryWord);
}

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return words.map((word) => word.slice(0, maxWordLength));
}
