using System.Security.Cryptography;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// The one script of a report: the table of scenarios can be sorted and filtered; the strips of a scenario show the
/// values of the time under the pointer or the keyboard, and a part of the time alone. Without it the page has all its
/// figures; it reads only the page and sends no request.
/// </summary>
internal static class ReportScript
{
    /// <summary>Plain JavaScript. It holds no data, so that no text of a run can become part of it.</summary>
    public const string Text = """

        'use strict'
        for (const group of document.querySelectorAll('.over-time')) follow(group)
        for (const table of document.querySelectorAll('#scenarios > .scroll > table')) arrange(table)

        function arrange(table) {
          const body = table.tBodies[0]
          const pairs = [...body.rows].filter(row => !row.matches('.inside')).map(row => [row, row.nextElementSibling])
          const heads = [...table.tHead.rows[0].cells]
          const filter = document.createElement('p')
          const label = add(filter, 'label', '')
          const search = add(label, 'input', '')
          const count = add(filter, 'span', 'quiet')

          filter.className = 'filter'
          label.prepend('Filter ')
          search.type = 'search'
          search.placeholder = 'name, failed, slower'
          count.setAttribute('aria-live', 'polite')
          table.parentElement.before(filter)
          search.addEventListener('input', () => {
            const words = search.value.toLowerCase().split(/\s+/)
            for (const [row, inside] of pairs)
              row.hidden = inside.hidden = !words.every(word => row.textContent.toLowerCase().includes(word))
            const shown = pairs.filter(([row]) => !row.hidden).length
            count.textContent = shown === pairs.length ? '' : shown + ' of ' + pairs.length
          })

          heads.forEach((head, column) => {
            if (head.matches('.unsorted')) return
            const button = document.createElement('button')
            button.type = 'button'
            button.className = 'sort'
            button.append(...head.childNodes)
            head.append(button)
            button.addEventListener('click', () => {
              const before = head.getAttribute('aria-sort') ?? (head.matches('.number') ? 'ascending' : 'descending')
              const order = before === 'ascending' ? 'descending' : 'ascending'
              const opened = body.querySelector(':scope > .inside:target')
              heads.forEach(one => one.removeAttribute('aria-sort'))
              head.setAttribute('aria-sort', order)
              const sign = order === 'ascending' ? 1 : -1
              pairs.sort(([one], [other]) => compare(keyOf(one, column), keyOf(other, column), sign))
              body.append(...pairs.flat())
              if (opened) location.replace('#' + opened.id)
            })
          })
        }

        function keyOf(row, column) {
          const cell = row.cells[column]
          const text = cell.dataset.sort ?? cell.firstChild?.textContent ?? ''
          const number = text === '' ? NaN : Number(text.replaceAll(',', ''))
          return Number.isNaN(number) ? text : number
        }

        // What has no figure comes last in either order.
        function compare(one, other, sign) {
          if (typeof one !== typeof other) return typeof one === 'number' ? -1 : 1
          return sign * (typeof one === 'number' ? one - other : one.localeCompare(other, 'en', { numeric: true }))
        }

        function follow(group) {
          const plots = [...group.querySelectorAll('.time-plot')]
          const axis = plots.pop()
          const drawings = plots.map(plot => plot.querySelector('svg'))
          const step = Number(group.dataset.step)
          const columns = drawings[0].viewBox.baseVal.width / 2
          const marks = [...axis.children]
          const figures = [...group.querySelectorAll('[data-v]')].map(read)
          const cursors = plots.map(plot => add(plot, 'div', 'cursor'))
          const choices = plots.map(plot => add(plot, 'div', 'chosen'))
          const time = add(axis.parentElement.querySelector('.time-key'), 'b', 'at')
          const help = add(group, 'p', 'quiet steps')
          const usage = add(help, 'span', '')
          const whole = add(help, 'button', '')
          let first = 0, count = columns, at = null, anchor = null, isPressed = false

          usage.textContent = 'Point at the strips for values, or use the arrow keys on the axis. Drag to zoom in, or'
            + ' hold Shift with the arrow keys and press Enter.'
          whole.type = 'button'
          whole.textContent = 'Show all (Esc)'
          axis.tabIndex = 0
          for (const [name, value] of Object.entries({
            role: 'slider', 'aria-label': group.getAttribute('aria-label') + ': seconds', 'aria-valuemin': 0,
            'aria-valuemax': round((columns - 1) * step), 'aria-valuenow': 0, 'aria-valuetext': 'All ' + round(columns * step) + ' s' }))
            axis.setAttribute(name, value)
          reset()

          // The default of a pressed button is that the focus goes elsewhere.
          group.addEventListener('mousedown', event => {
            if (isOver(event)) event.preventDefault()
          })
          group.addEventListener('pointermove', event => {
            if (!isPressed && !isOver(event)) return
            show(placeOf(event))
            if (isPressed) choose()
          })
          group.addEventListener('pointerdown', event => {
            if (event.button !== 0 || !isOver(event)) return
            isPressed = true
            anchor = placeOf(event)
            group.setPointerCapture(event.pointerId)
            axis.focus({ preventScroll: true })
            show(anchor)
          })
          group.addEventListener('pointerup', () => {
            if (isPressed && anchor !== at) zoom()
            release()
          })
          group.addEventListener('pointercancel', release)
          group.addEventListener('pointerleave', () => {
            if (document.activeElement !== axis) hide()
          })
          axis.addEventListener('focus', () => show(at ?? first))
          axis.addEventListener('blur', hide)
          axis.addEventListener('keydown', event => {
            const moves = {
              ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -columns, End: columns }
            if (event.key in moves) {
              if (event.shiftKey) anchor ??= at
              else anchor = null
              show(at + moves[event.key])
              choose()
            } else if (event.key === 'Enter' && anchor !== null) {
              zoom()
              release()
            } else if (event.key === 'Escape') {
              reset()
            } else return
            event.preventDefault()
          })
          whole.addEventListener('click', () => {
            reset()
            axis.focus()
          })

          function show(place) {
            at = Math.min(first + count - 1, Math.max(first, place))
            cursors.forEach(cursor => {
              cursor.hidden = false
              cursor.style.left = 100 * (at + 0.5 - first) / count + '%'
            })
            figures.forEach(figure => figure.shown.textContent = word(figure.values[at]))
            time.textContent = span(at, at)
            axis.setAttribute('aria-valuenow', round(at * step))
            axis.setAttribute('aria-valuetext', span(at, at) + '. '
              + figures.map(figure => figure.name + ' ' + word(figure.values[at])).join(', ')
              + (anchor === null || anchor === at ? '' : '. Chosen: ' + span(Math.min(anchor, at), Math.max(anchor, at))))
          }

          function hide() {
            release()
            cursors.forEach(cursor => cursor.hidden = true)
            figures.forEach(figure => figure.shown.textContent = '')
            time.textContent = ''
          }

          function choose() {
            const [from, to] = [Math.min(anchor ?? at, at), Math.max(anchor ?? at, at)]
            choices.forEach(choice => {
              choice.hidden = from === to
              choice.style.left = 100 * (from - first) / count + '%'
              choice.style.width = 100 * (to + 1 - from) / count + '%'
            })
          }

          function release() {
            isPressed = false
            anchor = null
            choices.forEach(choice => choice.hidden = true)
          }

          function zoom() {
            const [from, to] = [Math.min(anchor, at), Math.max(anchor, at)]
            frame(from, to + 1 - from)
            axis.replaceChildren(...ticks())
            anchor = null
            show(at)
          }

          function reset() {
            frame(0, columns)
            axis.replaceChildren(...marks)
            hide()
            if (document.activeElement === axis) show(at ?? 0)
          }

          function frame(from, places) {
            first = from
            count = places
            drawings.forEach(drawing => drawing.setAttribute('viewBox', `${2 * from} 0 ${2 * places} 100`))
            group.classList.toggle('zoomed', places !== columns)
            whole.hidden = places === columns
          }

          function ticks() {
            const [from, to] = [first * step, (first + count) * step]
            const power = 10 ** Math.floor(Math.log10((to - from) / 4))
            const each = power * [1, 2, 5, 10].find(times => times * power * 1.001 > (to - from) / 4)
            const labels = []
            for (let tick = Math.ceil(from / each - 0.001); tick * each <= to + each / 1000; tick++) {
              const label = document.createElement('span')
              label.textContent = round(tick * each)
              label.style.left = 100 * (tick * each - from) / (to - from) + '%'
              labels.push(label)
            }
            return labels
          }

          function isOver(event) {
            const box = drawings[0].getBoundingClientRect()
            return event.target.closest('.time-plot') !== null && event.clientX >= box.left && event.clientX <= box.right
          }

          function placeOf(event) {
            const box = drawings[0].getBoundingClientRect()
            return first + Math.floor(Math.min(0.9999, Math.max(0, (event.clientX - box.left) / box.width)) * count)
          }

          function span(from, to) {
            return from === to && step === 1 ? from + ' s' : round(from * step) + ' to ' + round((to + 1) * step) + ' s'
          }
        }

        function read(key) {
          const strip = key.closest('.time-row').querySelector('.time-name').firstChild.textContent
          const name = strip + ' ' + key.textContent
          key.hidden = false
          const values = key.dataset.v.split(',').flatMap(part => {
            const [value, times] = part.split('*')
            return Array(Number(times ?? 1)).fill(value === '' ? null : Number(value))
          })
          return { name, values, shown: add(key, 'b', 'at') }
        }

        function add(parent, tag, style) {
          const child = document.createElement(tag)
          child.className = style
          return parent.appendChild(child)
        }

        function word(value) {
          return value === null ? '–' : value.toLocaleString('en')
        }

        function round(value) {
          return Number(value.toPrecision(6))
        }

        """;

    /// <summary>
    /// What the page allows itself: its own style, this script and nothing else, so that text of a run could not run
    /// even if it were not escaped.
    /// </summary>
    public static string Policy { get; } =
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; script-src 'sha256-"
        + Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(Text))) + "'";
}
