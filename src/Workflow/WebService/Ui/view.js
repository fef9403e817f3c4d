// Adds events to the page of events as they come, and loads the list of another page again after an event. Without it a
// page shows what was there when it was loaded.
// The stream is read by hand: an EventSource delivers only event names that are known before, and a workflow may raise any.
'use strict';
(() => {
  const status = document.getElementById('live');
  const body = document.querySelector('tbody');
  const list = document.getElementById('list');
  const mostRows = 200;
  const pauseMs = 2000;
  let waiting = false;
  let position = status.dataset.position;
  let reading = null;
  let count = 0;

  const say = text => { status.textContent = text; };
  const element = (name, text, attributes) => {
    const made = document.createElement(name);
    made.textContent = text ?? '';
    Object.entries(attributes ?? {}).forEach(([key, value]) => made.setAttribute(key, value));
    return made;
  };
  const cell = content => {
    const made = document.createElement('td');
    if (content) made.append(content);
    return made;
  };

  function show(name, value) {
    const at = value.timestamps.executedUtc;
    const row = document.createElement('tr');
    const head = element('th', '', { scope: 'row' });
    head.append(element('bdi', name));
    const version = value.definitionVersion ?? '';
    row.append(
      cell(element('time', new Date(at).toISOString().replace('T', ' ').replace('Z', ''), { datetime: at })), head,
      cell(value.definition && element('a', `${value.definition} ${version}`, { href: `/ui/definition?name=${encodeURIComponent(value.definition)}&version=${version}` })),
      cell(value.instanceId && element('a', value.instanceId, { class: 'id', href: `/ui/instances/${encodeURIComponent(value.instanceId)}` })),
      cell(value.correlationKey && element('bdi', value.correlationKey)));
    body.querySelector('.none')?.remove();
    body.prepend(row);
    while (body.rows.length > mostRows) body.lastElementChild.remove();
    count += 1;
  }

  // At most once in a while, however many events come, and never under the hands of who is in the list.
  function refresh() {
    if (waiting) return;
    waiting = true;
    setTimeout(async () => {
      waiting = false;
      if (list.contains(document.activeElement)) {
        refresh();
        return;
      }
      try {
        const answer = await fetch(location.href, { cache: 'no-store' });
        if (!answer.ok) throw new Error(`the service answers ${answer.status}`);
        const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
        list.replaceChildren(...page.getElementById('list').childNodes);
      } catch (error) {
        say(`The list is not up to date: ${error.message}.`);
      }
    }, pauseMs);
  }

  function take(frame) {
    let name = '';
    const data = [];
    for (const line of frame.split('\n')) {
      if (line.startsWith('id: ')) position = line.slice(4);
      else if (line.startsWith('event: ')) name = line.slice(7);
      else if (line.startsWith('data: ')) data.push(line.slice(6));
    }
    if (data.length === 0) return;
    if (list) {
      refresh();
      return;
    }
    const value = JSON.parse(data.join('\n'));
    if (name === 'gap') say(`${value.missed} events are not kept any more.`);
    else show(name, value);
  }

  async function read(signal) {
    const answer = await fetch(status.dataset.url, { headers: { 'Last-Event-ID': position }, signal, cache: 'no-store' });
    if (!answer.ok) throw new Error(`the service answers ${answer.status}`);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    say(list ? 'The list follows the events.' : 'New events appear as they come.');
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error('the stream has ended');
      const frames = (rest + value).split('\n\n');
      rest = frames.pop();
      const before = count;
      frames.forEach(take);
      if (count > before) say(`New events appear as they come: ${count} so far.`);
    }
  }

  async function follow() {
    if (reading) return;
    const current = reading = new AbortController();
    while (!current.signal.aborted) {
      try {
        await read(current.signal);
      } catch (error) {
        if (current.signal.aborted) return;
        say(`No events come: ${error.message}. Trying again.`);
        await new Promise(resolve => setTimeout(resolve, 3000));
      }
    }
  }

  // A page that nobody looks at costs the service no stream; it goes on where it was.
  function look() {
    if (document.hidden) {
      reading?.abort();
      reading = null;
    } else {
      follow();
    }
  }

  status.hidden = false;
  document.addEventListener('visibilitychange', look);
  look();
})();
