/** Lets tests import a Markdown file as text, as the bundles do. */
module.exports = {
  process: (text) => ({ code: `module.exports = ${JSON.stringify(text)};` }),
};
