using System.Text.RegularExpressions;
using Workflow.Contracts.Tasks;

namespace IntegrationTests.WebService;

/// <summary>The pages under <c>/ui</c> as a browser gets them: content, forms and valid markup.</summary>
[Trait("Category", "Integration")]
public sealed class PageTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    private const string Hostile = "</td><script>alert('x')</script>\" onload=\"alert(1)\u202E\u0001&amp;";

    [Fact]
    public async Task Every_link_of_every_page_is_answered()
    {
        await SeedAsync();
        var pages = new SortedDictionary<string, string>(StringComparer.Ordinal);
        var waiting = new Queue<string>(["/ui"]);
        var known = new HashSet<string>(waiting);
        var kinds = new List<string>();
        while (waiting.TryDequeue(out var path))
        {
            using var response = await fixture.Http.GetAsync(
                new Uri(path, UriKind.Relative), HttpCompletionOption.ResponseHeadersRead, Cancel);
            Assert.True(response.StatusCode == HttpStatusCode.OK, $"{path} is answered {response.StatusCode}");
            if (response.Content.Headers.ContentType?.MediaType != "text/html")
            {
                continue;
            }

            var policy = Assert.Single(response.Headers.GetValues("Content-Security-Policy"));
            Assert.Contains("default-src 'none'", policy, StringComparison.Ordinal);
            var page = pages[path] = await response.Content.ReadAsStringAsync(Cancel);
            foreach (var link in Markup.Links(page).Where(known.Add))
            {
                // Some of each kind: other tests leave instances, too.
                Assert.StartsWith("/", link, StringComparison.Ordinal);
                if (kinds.Count(kind => kind == Markup.Kind(link)) < 4)
                {
                    kinds.Add(Markup.Kind(link));
                    waiting.Enqueue(link);
                }
            }
        }

        Assert.All(pages, page => Assert.Empty(Markup.Faults(page.Value).Select(fault => $"{page.Key}: {fault}")));
        foreach (var path in new[]
        {
            "/ui/definitions", "/ui/instances", "/ui/tasks", "/ui/dead-letters", "/ui/events", "/ui/load", "/ui/api",
        })
        {
            Assert.Contains(path, pages.Keys);
        }

        // Each was shown somewhere, so the checks above looked at something.
        Assert.All(["/ui/definition?", "/ui/instances/", "/ui/tasks/"],
            kind => Assert.Contains(pages.Keys, path => path.StartsWith(kind, StringComparison.Ordinal)));
        Assert.Contains(pages, page => page.Value.Contains("&lt;script&gt;alert", StringComparison.Ordinal));
        Assert.DoesNotContain(pages, page => page.Value.Contains("<script>", StringComparison.Ordinal));
        Assert.DoesNotContain(pages, page => page.Value.AsSpan().ContainsAny('\u202E', '\u0001'));
    }

    [Fact]
    public async Task Overview_shows_resident_and_dormant_instances()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        await StartAsync(name);

        var page = await PageAsync("/ui");

        Assert.Matches("<b>[1-9][0-9,]*</b> resident: in memory", page);
        Assert.Matches("<b>[0-9,]+</b> dormant: in the store alone", page);
    }

    [Fact]
    public async Task Diagram_has_a_link_for_each_size()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var page = await fixture.Http.GetStringAsync(new Uri($"/ui/definition?name={name}", UriKind.Relative), Cancel);
        var style = await fixture.Http.GetStringAsync(new Uri("/ui/style.css", UriKind.Relative), Cancel);

        Assert.All(["fit-width", "fit-page", "full-size", "double-size"], size =>
        {
            Assert.Contains($"href=\"#{size}\"", page, StringComparison.Ordinal);
            Assert.Contains($"<div id=\"{size}\">", page, StringComparison.Ordinal);
        });
        Assert.All(["fit-page", "full-size", "double-size"],
            size => Assert.Contains($"#{size}:target .diagram img", style, StringComparison.Ordinal));
        Assert.Contains(".diagram img { display: block; max-width: 100%;", style, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Actions_of_an_instance_are_in_its_history()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var first = await StartAsync(name);
        var page = $"/ui/instances/{first}";

        await ActAsync($"{page}/suspend");
        Assert.Equal(InstanceState.Suspended, (await fixture.Client.FindInstanceAsync(first, Cancel))!.State);
        await ActAsync($"{page}/signal", ("name", "resume"), ("payload", """{ "n": 7 }"""));
        var resumed = await ActAsync($"{page}/resume");
        var second = await StartAsync(name);
        await ActAsync($"/ui/instances/{second}/cancel");

        var view = await fixture.Client.FindInstanceAsync(first, Cancel);
        Assert.Equal(
            (InstanceState.Completed, """{"answer":{"n":7}}"""), (view!.State, view.Output!.Value.GetRawText()));
        Assert.Equal(InstanceState.Cancelled, (await fixture.Client.FindInstanceAsync(second, Cancel))!.State);
        Assert.Contains("It continues, with the signals that arrived meanwhile.", resumed, StringComparison.Ordinal);
        Assert.All(["suspended", "signalled", "resumed", "completed"],
            line => Assert.Contains($"<th scope=\"row\">{line}</th>", resumed, StringComparison.Ordinal));
        Assert.DoesNotContain("<h2>Actions</h2>", resumed, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Failed_instance_continues_with_the_form_variables()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var failed =
            await fixture.Client.StartAsync(new StartInstance { Definition = name }, cancellationToken: Cancel);

        var before = await PageAsync($"/ui/instances/{failed.Id}");
        await ActAsync($"/ui/instances/{failed.Id}/retry", ("variables", """{ "key": "k" }"""));

        Assert.Contains("<div class=\"error\">", before, StringComparison.Ordinal);
        Assert.Contains("<summary>Retry</summary>", before, StringComparison.Ordinal);
        Assert.Equal(InstanceState.Waiting, (await fixture.Client.FindInstanceAsync(failed.Id, Cancel))!.State);
        Assert.Contains(
            "<th scope=\"row\">retried</th>", await PageAsync($"/ui/instances/{failed.Id}"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Task_form_sent_twice_has_one_effect()
    {
        var (task, instance) = await TaskAsync();
        Assert.Contains($"/ui/tasks/{task}", await PageAsync($"/ui/tasks?group=clerks&state=open"),
            StringComparison.Ordinal);

        await ActAsync($"/ui/tasks/{task}/assign", ("assignee", "ann"));
        await ActAsync($"/ui/tasks/{task}/complete", ("output", """{ "ok": true }"""), ("once", $"{task}"));
        var again = await ActAsync($"/ui/tasks/{task}/complete", ("output", """{ "ok": true }"""), ("once", $"{task}"));

        var view = await fixture.Client.GetTaskAsync(task, Cancel);
        Assert.Equal((TaskState.Completed, "ann", """{"ok":true}"""),
            (view.State, view.Assignee, view.Output!.Value.GetRawText()));
        Assert.Equal(InstanceState.Completed, (await fixture.Client.FindInstanceAsync(instance, Cancel))!.State);
        Assert.Contains("It is completed", again, StringComparison.Ordinal);
        Assert.DoesNotContain("method=\"post\"", again, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Page_says_that_something_was_done_only_where_the_state_fits()
    {
        var (task, instance) = await TaskAsync();
        var resumed = $"/ui/instances/{instance}?done=resumed";

        foreach (var path in new[]
        {
            $"/ui/instances/{instance}?done=suspended", $"/ui/instances/{instance}?done=cancelled", $"/ui/tasks/{task}?done=assigned",
            $"/ui/tasks/{task}?done=completed",
        })
        {
            Assert.DoesNotContain("role=\"status\"", await PageAsync(path), StringComparison.Ordinal);
        }

        await ActAsync($"/ui/instances/{instance}/suspend");
        Assert.DoesNotContain("role=\"status\"", await PageAsync(resumed), StringComparison.Ordinal);
        var completed = await ActAsync($"/ui/tasks/{task}/complete");
        Assert.Contains("It is completed.</p>", completed, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Origin", "http://evil.example")]
    [InlineData("Origin", "null")]
    [InlineData("Sec-Fetch-Site", "cross-site")]
    [InlineData("Sec-Fetch-Site", "same-site")]
    [InlineData("Sec-Fetch-Site", "none")]
    [InlineData("Referer", "http://evil.example/")]
    public async Task Form_of_another_site_is_refused_and_has_no_effect(string header, string value)
    {
        var instance = await StartAsync(await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting));

        using var response = await PostAsync(
            fixture.Http, $"/ui/instances/{instance}/cancel", [], request => request.Headers.Add(header, value));

        Assert.Contains("foreign-page", await IsPageAsync(response, 403), StringComparison.Ordinal);
        Assert.Equal(InstanceState.Waiting, (await fixture.Client.FindInstanceAsync(instance, Cancel))!.State);
    }

    [Fact]
    public async Task Foreign_host_name_shows_no_page_without_keys()
    {
        using var request =
            new HttpRequestMessage(HttpMethod.Get, "/ui/instances") { Headers = { Host = "rebound.example" } };
        using var response = await fixture.Http.SendAsync(request, Cancel);

        Assert.Contains("rebound.example", await IsPageAsync(response, 403), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/ui/instances?state=sleeping", 400, "sleeping")]
    [InlineData("/ui/instances?startedFrom=yesterday", 400, "yesterday")]
    [InlineData("/ui/instances/seven", 400, "seven")]
    [InlineData("/ui/instances/01890a5d-ac96-774b-bcce-b302099a8057", 404, "01890a5d-ac96-774b-bcce-b302099a8057")]
    [InlineData("/ui/tasks/01890a5d-ac96-774b-bcce-b302099a8057", 404, "01890a5d-ac96-774b-bcce-b302099a8057")]
    [InlineData("/ui/dead-letters/01890a5d-ac96-774b-bcce-b302099a8057", 404, "01890a5d-ac96-774b-bcce-b302099a8057")]
    [InlineData("/ui/dead-letters/00000000-0000-0000-0000-000000000000", 404, "00000000")]
    [InlineData("/ui/definition?name=nobody", 404, "nobody")]
    [InlineData("/ui/definition?name=%3Cscript%3E", 404, "&lt;script&gt;")]
    [InlineData("/ui/nowhere", 404, "/ui/nowhere")]
    [InlineData("/ui/load?now=1", 400, "now")]
    public async Task Problem_is_a_page_with_the_words_of_the_api(string path, int status, string named)
    {
        using var response = await fixture.Http.GetAsync(new Uri(path, UriKind.Relative), Cancel);

        Assert.Contains(named, await IsPageAsync(response, status), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("text/html,application/xhtml+xml,*/*;q=0.8", 302), InlineData("*/*", 404), InlineData(null, 404)]
    [InlineData("text/html;q=0, application/json", 404)]
    public async Task Root_leads_browsers_to_the_pages(string? accept, int status)
    {
        using var handler = new HttpClientHandler { AllowAutoRedirect = false };
        using var http = new HttpClient(handler) { BaseAddress = fixture.Service.BaseAddress };
        using var request = new HttpRequestMessage(HttpMethod.Get, "/");
        if (accept is not null)
        {
            request.Headers.Add("Accept", accept);
        }

        using var response = await http.SendAsync(request, Cancel);

        Assert.Equal(status, (int)response.StatusCode);
        Assert.Equal(status == 302 ? "/ui" : null, response.Headers.Location?.OriginalString);
    }

    [Fact]
    public async Task Start_form_sent_twice_starts_one_instance()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        await fixture.Client.RegisterDefinitionAsync(
            SampleDefinitions.Waiting(name).Replace("\"version\": 1", "\"version\": 2", StringComparison.Ordinal),
            Cancel);
        var form = await PageAsync($"/ui/definition?name={name}&version=1");
        var once = Regex.Match(form, "name=\"once\" value=\"([^\"]*)\"").Groups[1].Value;
        var action = WebUtility.HtmlDecode(
            Regex.Match(form, "action=\"(/ui/definition/start[^\"]*)\"").Groups[1].Value);
        (string, string)[] fields =
            [("input", """{ "key": "k-1" }"""), ("correlationKey", $"key of {name}"), ("once", once)];

        var started = await ActAsync(action, fields);
        await ActAsync(action, fields);

        var list = await fixture.Client.ListInstancesAsync(definition: name, cancellationToken: Cancel);
        var instance = Assert.Single(list.Items);
        Assert.Equal((1, $"key of {name}", """{"key":"k-1"}"""),
            (instance.Version, instance.CorrelationKey, instance.Variables.GetRawText()));
        Assert.Contains($"/ui/instances/{instance.Id}/cancel", started, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Signal_form_reaches_the_instance_that_waits_for_the_key()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var key = SampleDefinitions.NewName();
        var started = await fixture.Client.StartAsync(
            new StartInstance
            {
                Definition = name, CorrelationKey = key, Input = JsonSerializer.SerializeToElement(new { key }),
            },
            cancellationToken: Cancel);

        var taken = await ActAsync(
            "/ui/signal", ("name", "resume"), ("correlationKey", key), ("payload", """{ "n": 7 }"""));
        var kept = await ActAsync("/ui/signal", ("name", "nobodyKnowsIt"), ("correlationKey", key));

        var view = await fixture.Client.FindInstanceAsync(started.Id, Cancel);
        Assert.Equal("""{"answer":{"n":7}}""", view!.Output!.Value.GetRawText());
        Assert.Contains("A waiting instance took the signal.", taken, StringComparison.Ordinal);
        Assert.Contains("kept: no step waits for it yet", kept, StringComparison.Ordinal);
        Assert.Contains("Check the spelling.", kept, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("signal", "/ui/signal"), InlineData("start", "/ui/definition/start?name={0}&version=1")]
    [InlineData("instance", "/ui/instances/{1}/signal"), InlineData("retry", "/ui/instances/{1}/retry")]
    [InlineData("task", "/ui/tasks/{2}/complete")]
    public async Task Refused_form_keeps_what_was_entered(string form, string path)
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var failed =
            await fixture.Client.StartAsync(new StartInstance { Definition = name }, cancellationToken: Cancel);
        var (task, _) = await TaskAsync();
        var instance = form == "retry" ? failed.Id : await StartAsync(name);
        var json = form switch
        {
            "signal" or "instance" => "payload",
            "start" => "input",
            "retry" => "variables",
            _ => "output",
        };

        using var response = await PostAsync(
            fixture.Http, string.Format(CultureInfo.InvariantCulture, path, name, instance, task),
            [(json, "\n{ \"a\": <b> }"), ("name", "typed \"name\""), ("correlationKey", "typed key")]);

        var page = await IsPageAsync(response, 400);
        Assert.Contains("is not JSON at line 2", page, StringComparison.Ordinal);
        Assert.Contains("\n\n{ &quot;a&quot;: &lt;b&gt; }</textarea>", page, StringComparison.Ordinal);
        Assert.Equal(form is "signal" or "instance",
            page.Contains("value=\"typed &quot;name&quot;\"", StringComparison.Ordinal));
        Assert.Equal(form is "signal" or "start", page.Contains("value=\"typed key\"", StringComparison.Ordinal));
        Assert.Equal(
            form is "start" or "instance" or "retry", page.Contains("<details open>", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Refused_action_shows_the_instance_as_it_is()
    {
        var instance = await StartAsync(await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n)));

        using var response = await PostAsync(fixture.Http, $"/ui/instances/{instance}/suspend", []);

        var page = await IsPageAsync(response, 409);
        Assert.Contains("role=\"alert\"", page, StringComparison.Ordinal);
        Assert.Contains("<h2>History</h2>", page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Failed_step_looks_failed_in_the_list_and_the_history()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var failed =
            await fixture.Client.StartAsync(new StartInstance { Definition = name }, cancellationToken: Cancel);

        var list = await PageAsync($"/ui/instances?definition={name}");
        var page = await PageAsync($"/ui/instances/{failed.Id}");

        Assert.Contains("<span class=\"badge bad\"><bdi>wait</bdi></span>", list, StringComparison.Ordinal);
        Assert.Contains(
            "<th scope=\"row\"><span class=\"badge bad\">failed</span></th>", page, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("complete", "output", "{ \"ok\": tru }", "Output")]
    [InlineData("complete", "output", "{\"a\":\"\\ud800\"}", "Output")]
    [InlineData("assign", "assignee", "", "Assignee")]
    public async Task Field_that_cannot_be_read_is_named(string action, string field, string text, string label)
    {
        var (task, _) = await TaskAsync();

        using var response = await PostAsync(fixture.Http, $"/ui/tasks/{task}/{action}", [(field, text)]);

        Assert.Contains($"The field &#39;{label}&#39;", await IsPageAsync(response, 400), StringComparison.Ordinal);
        Assert.Equal(TaskState.Open, (await fixture.Client.GetTaskAsync(task, Cancel)).State);
    }

    [Fact]
    public async Task List_of_instances_is_newest_first_back_and_forth()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        var started = new List<Guid>();
        for (var i = 0; i < 52; i++)
        {
            started.Add(await StartAsync(name));
        }

        var first = await PageAsync($"/ui/instances?definition={name}&state=completed");
        var second = await PageAsync(To(first, "next"));
        var back = await PageAsync(To(second, "prev"));

        Assert.Equal(
            started.OrderByDescending(id => id.ToString(), StringComparer.Ordinal),
            [.. Shown(first), .. Shown(second)]);
        Assert.Equal(Shown(first), Shown(back));
        Assert.Equal(Shown(second), Shown(await PageAsync(To(back, "next"))));
        Assert.DoesNotContain("rel=\"prev\"", first + back, StringComparison.Ordinal);
        Assert.DoesNotContain("rel=\"next\"", second, StringComparison.Ordinal);
        Assert.Contains("52 instances match.", first, StringComparison.Ordinal);
        Assert.Contains("52 instances match.", second, StringComparison.Ordinal);

        static IEnumerable<Guid> Shown(string page) =>
            Regex.Matches(page, "href=\"/ui/instances/([^\"?]*)\"").Select(match => Guid.Parse(match.Groups[1].Value));
    }

    [Fact]
    public async Task List_of_tasks_is_newest_first_back_and_forth()
    {
        var somebody = SampleDefinitions.NewName("somebody");
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Step(
            n, $$"""{ "type": "task", "assignee": "{{somebody}}", "next": "done" }"""));
        for (var i = 0; i < 51; i++)
        {
            await StartAsync(name);
        }

        var first = await PageAsync($"/ui/tasks?assignee={somebody}");
        var second = await PageAsync(To(first, "next"));

        Assert.Equal(50, Shown(first).Count());
        Assert.Single(Shown(second));
        Assert.Equal(Shown(first), Shown(await PageAsync(To(second, "prev"))));
        Assert.Contains("51 tasks match.", second, StringComparison.Ordinal);
        var order = Shown(first).Concat(Shown(second)).ToList();
        Assert.Equal(order.OrderByDescending(id => id, StringComparer.Ordinal), order);

        static IEnumerable<string> Shown(string page) =>
            Regex.Matches(page, "href=\"/ui/tasks/([^\"?]*)\"").Select(match => match.Groups[1].Value);
    }

    [Fact]
    public async Task Instances_are_searched_by_prefix()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        var id = await StartAsync(name);
        var prefix = name[..^1];

        var exactly = await PageAsync($"/ui/instances?definition={prefix}");
        var begins = await PageAsync($"/ui/instances?definition={prefix}&match=prefix");
        var byId = await PageAsync($"/ui/instances?id={id.ToString()[..35]}");
        using var wrong = await fixture.Http.GetAsync(
            new Uri("/ui/instances?match=roughly", UriKind.Relative), Cancel);
        using var listed = await fixture.Http.GetAsync(
            new Uri($"/instances?definitionPrefix={prefix}&idPrefix={id.ToString()[..10]}", UriKind.Relative), Cancel);
        using var noId = await fixture.Http.GetAsync(new Uri("/instances?idPrefix=xyz", UriKind.Relative), Cancel);

        Assert.DoesNotContain(id.ToString(), exactly, StringComparison.Ordinal);
        Assert.Contains("0 instances match.", exactly, StringComparison.Ordinal);
        Assert.Contains($"/ui/instances/{id}", begins, StringComparison.Ordinal);
        Assert.Contains("1 instance matches.", begins, StringComparison.Ordinal);
        Assert.Contains("match=prefix", begins, StringComparison.Ordinal);
        Assert.Contains($"/ui/instances/{id}", byId, StringComparison.Ordinal);
        Assert.Contains("&#39;roughly&#39;", await IsPageAsync(wrong, 400), StringComparison.Ordinal);
        Assert.Contains(id.ToString(), await listed.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
        await Answer.IsProblemAsync(noId, 400, "invalid-command", "'xyz'");
    }

    [Fact]
    public async Task Failed_instance_continues_at_the_step_that_is_chosen()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var started = await fixture.Client.StartAsync(
            new StartInstance { Definition = name }, cancellationToken: Cancel);
        var id = started.Id;
        var view = await fixture.Client.FindInstanceAsync(id, Cancel);
        var step = view!.RetrySteps!.Last(one => one != view.Error!.Step);

        var page = await PageAsync($"/ui/instances/{id}");
        using var refused = await PostAsync(fixture.Http, $"/ui/instances/{id}/retry", [("step", "nowhere")]);
        var refusal = await IsPageAsync(refused, 400);
        using var byApi = await fixture.Http.PostAsync($"/instances/{id}/retry", """{"step":"nowhere"}""", Cancel);
        using var done = await PostAsync(fixture.Http, $"/ui/instances/{id}/retry", [("step", step)]);

        Assert.Contains($"<option value=\"{step}\">", page, StringComparison.Ordinal);
        Assert.Contains("has no such step", refusal, StringComparison.Ordinal);
        await Answer.IsProblemAsync(byApi, 400, "invalid-command", "'nowhere'", step);
        Assert.Contains("It continues.", await IsPageAsync(done, 200), StringComparison.Ordinal);
        var history = await fixture.Client.GetHistoryAsync(id, Cancel);
        Assert.Equal($"at {step}", Assert.Single(history, line => line.Event == "retried").Detail);
    }

    private static string To(string page, string way) =>
        WebUtility.HtmlDecode(Regex.Match(page, $"href=\"([^\"]*)\" rel=\"{way}\"").Groups[1].Value);

    [Theory]
    [InlineData("/ui/instances?definition=order", "/events?definition=order"), InlineData("/ui/tasks", "/events")]
    [InlineData("/ui/dead-letters", "/events")]
    public async Task List_follows_the_event_stream(string path, string stream)
    {
        var page = await PageAsync(path);

        Assert.Contains($"data-url=\"{stream}\"", page, StringComparison.Ordinal);
        Assert.Contains("<div id=\"list\">", page, StringComparison.Ordinal);
        Assert.Contains("<script src=\"/ui/view.js\" defer>", page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Instance_has_a_timeline_of_its_steps()
    {
        var page = await PageAsync(
            $"/ui/instances/{await StartAsync(await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting))}");

        Assert.Contains("<figure class=\"timeline\">", page, StringComparison.Ordinal);
        Assert.Contains("<rect class=\"wait\"", page, StringComparison.Ordinal);
        Assert.Empty(Markup.Faults(page));
    }

    [Fact]
    public async Task Instance_id_in_the_filter_leads_to_the_instance()
    {
        var instance = await StartAsync(await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n)));

        using var response = await fixture.Http.GetAsync(
            new Uri($"/ui/instances?state=&id={instance}%20", UriKind.Relative), Cancel);

        Assert.Equal($"/ui/instances/{instance}", response.RequestMessage!.RequestUri!.AbsolutePath);
    }

    [Fact]
    public async Task Large_instance_is_cut_and_the_whole_is_a_link_away()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var input = JsonSerializer.SerializeToElement(
            new { key = SampleDefinitions.NewName(), large = new string('x', 400_000) });
        var started = await fixture.Client
            .StartAsync(new StartInstance { Definition = name, Input = input }, cancellationToken: Cancel);

        var page = await PageAsync($"/ui/instances/{started.Id}");

        Assert.True(page.Length < 60_000, $"{page.Length} characters");
        Assert.Contains("of 400,002 characters", page, StringComparison.Ordinal);
        Assert.Contains($"href=\"/instances/{started.Id}\"", page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Value_is_escaped_for_the_page_and_for_nothing_else()
    {
        const string Text = "Zoë 😀 <b> & 'x' \u00A0";
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var input = JsonSerializer.SerializeToElement(
            new { key = SampleDefinitions.NewName(), text = Text, list = new[] { Text } });
        var started = await fixture.Client
            .StartAsync(new StartInstance { Definition = name, Input = input }, cancellationToken: Cancel);

        var page = await PageAsync($"/ui/instances/{started.Id}");

        Assert.DoesNotContain("<b> &", page, StringComparison.Ordinal);
        Assert.Contains($"<pre>\"{Text}\"</pre>", WebUtility.HtmlDecode(page), StringComparison.Ordinal);
        Assert.Contains($"<pre>[\n  \"{Text}\"\n]</pre>", WebUtility.HtmlDecode(page), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Events_are_there_without_script_by_definition()
    {
        var one = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        var other = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        var (mine, theirs) = (await StartAsync(one), await StartAsync(other));

        var page = await PageAsync($"/ui/events?definition={one}");

        Assert.Contains($"/ui/instances/{mine}", page, StringComparison.Ordinal);
        Assert.DoesNotContain($"/ui/instances/{theirs}", page, StringComparison.Ordinal);
        Assert.Contains($"data-url=\"/events?definition={one}\"", page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Last_200_events_are_shown_newest_first()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        var input = JsonSerializer.SerializeToElement(new { price = 2, quantity = 3 });
        var started = new List<Guid>();
        for (var i = 0; i < 210; i++)
        {
            var instance = await fixture.Client.StartAsync(
                new StartInstance { Definition = name, CorrelationKey = name, Input = input },
                cancellationToken: Cancel);
            started.Insert(0, instance.Id);
        }

        var page = await PageAsync($"/ui/events?definition={name}");

        var shown = Regex.Matches(page, "href=\"/ui/instances/([^\"?]*)\"")
            .Select(match => Guid.Parse(match.Groups[1].Value)).ToList();
        Assert.Equal(200, shown.Count);
        var newest = shown.Distinct().ToList();
        Assert.Equal(started.Take(newest.Count), newest);
    }

    [Fact]
    public async Task Bpmn_file_is_checked_and_registered_on_a_page()
    {
        var name = SampleDefinitions.NewName("bpmn");
        var file = Encoding.Latin1.GetBytes($"""
            <?xml version="1.0" encoding="iso-8859-1"?>
            <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:v="urn:vendor">
            <process id="{name}" isExecutable="true"><startEvent id="s" /><userTask id="x" name="Prüfen" v:color="red" />
            <endEvent id="e" /><sequenceFlow id="f" sourceRef="s" targetRef="x" />
            <sequenceFlow id="g" sourceRef="x" targetRef="e" /></process></definitions>
            """);

        var refused = await RegisterAsync(400, ("unknown", "refuse"), ("action", "register"), ("file", file));
        var checkedFile = await RegisterAsync(200, ("unknown", "refuse"), ("action", "check"), ("file", file));
        var valid = await RegisterAsync(200, ("unknown", "report"), ("action", "check"), ("file", file));
        Assert.DoesNotContain((await fixture.Client.ListDefinitionsAsync(Cancel)), one => one.Name == name);
        var registered = await RegisterAsync(200, ("unknown", "report"), ("action", "register"), ("file", file));
        var again = await RegisterAsync(200, ("unknown", "report"), ("action", "register"), ("file", file));

        Assert.Contains("urn:vendor", refused, StringComparison.Ordinal);
        Assert.Contains("definition-invalid", refused, StringComparison.Ordinal);
        Assert.Contains("(line 3, column ", refused, StringComparison.Ordinal);
        Assert.Contains("Nothing was registered.", checkedFile, StringComparison.Ordinal);
        Assert.All([valid, registered, again], page =>
        {
            Assert.Contains("<td><code>color</code></td>", page, StringComparison.Ordinal);
            Assert.Contains("(&quot;Pr&#252;fen&quot;)", page, StringComparison.Ordinal);
            Assert.Contains("<option value=\"report\" selected>", page, StringComparison.Ordinal);
        });
        Assert.Contains("It has not been registered.", valid, StringComparison.Ordinal);
        Assert.Contains($"/ui/definition?name={name}&amp;version=1", registered, StringComparison.Ordinal);
        Assert.Contains("already registered", again, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Pasted_definition_stays_in_the_form_until_it_is_valid()
    {
        var name = SampleDefinitions.NewName();
        var text = SampleDefinitions.Linear(name);
        var broken = text.Replace(name, name + "</textarea><b>", StringComparison.Ordinal);

        var refused = await RegisterAsync(400, ("text", broken[..^1]), ("action", "register"));
        var found = await RegisterAsync(200, ("text", broken[..^1]), ("action", "check"));
        var registered = await RegisterAsync(200, ("text", "\uFEFF" + text), ("action", "register"));

        Assert.Contains("&lt;/textarea&gt;&lt;b&gt;", refused, StringComparison.Ordinal);
        Assert.Contains("<code>definition-invalid</code>", refused, StringComparison.Ordinal);
        Assert.Contains("The definition is not valid: 1 error.", found, StringComparison.Ordinal);
        Assert.Contains($"/ui/definition?name={name}&amp;version=1", registered, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(" ", "refuse", "both are empty"), InlineData("<a/>", "ignore", "&#39;ignore&#39;")]
    public async Task Registration_form_without_meaning_is_refused(string text, string unknown, string named)
    {
        var page = await RegisterAsync(400, ("action", "check"), ("unknown", unknown), ("text", text));

        Assert.Contains(named, page, StringComparison.Ordinal);
    }

    private async Task<string> RegisterAsync(int status, params (string Name, object Value)[] fields)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "/ui/register");
        request.Headers.Add("Sec-Fetch-Site", "same-origin");
        var form = new MultipartFormDataContent();
        request.Content = form;
        foreach (var (name, value) in fields)
        {
            if (value is byte[] file)
            {
                form.Add(new ByteArrayContent(file), name, "process.bpmn");
            }
            else
            {
                form.Add(new StringContent((string)value), name);
            }
        }

        using var response = await fixture.Http.SendAsync(request, Cancel);
        return await IsPageAsync(response, status);
    }

    private async Task SeedAsync()
    {
        var documented = SampleDefinitions.NewName();
        await fixture.Client.RegisterDefinitionAsync(
            JsonSerializer.Serialize(new
            {
                name = documented, version = 1, start = "wait", title = "<script>alert('title')</script>",
                documentation = Hostile.Replace("\u0001", "", StringComparison.Ordinal),
                source = new { document = "<script>alert.bpmn", line = 3 },
                steps = new Dictionary<string, object>
                {
                    ["wait"] = new { type = "waitSignal", signal = "go", correlation = "= key", next = "check",
                        title = "<script>alert" },
                    ["check"] =
                        new { type = "task", groups = new[] { "<script>alert('group')</script>" }, next = "done" },
                    ["done"] = new { type = "fail", error = "<script>alert('error')</script>" },
                },
            }),
            Cancel);
        var key = SampleDefinitions.NewName("<script>alert('key')</script>");
        var input = JsonSerializer.SerializeToElement(
            new Dictionary<string, object?> { ["key"] = key, [Hostile] = new { Hostile }, ["<script>alert"] = null });
        for (var i = 0; i < 2; i++)
        {
            await fixture.Client.StartAsync(
                new StartInstance { Definition = documented, CorrelationKey = key, Input = input },
                cancellationToken: Cancel);
        }

        await fixture.Client.SignalAsync(new() { Name = "go", CorrelationKey = key }, cancellationToken: Cancel);
        var list = await fixture.Client.ListTasksAsync(
            group: "<script>alert('group')</script>", state: TaskState.Open, cancellationToken: Cancel);
        var open = list.Items[0];
        await fixture.Client.AssignTaskAsync(open.Id, "<script>alert('assignee')</script>", cancellationToken: Cancel);
        await fixture.Client.CompleteTaskAsync(open.Id, cancellationToken: Cancel);
        await TaskAsync();
    }

    private async Task<(Guid Task, Guid Instance)> TaskAsync()
    {
        var name = await fixture.Client.RegisterNewAsync(
            n => SampleDefinitions.Step(n, """{ "type": "task", "groups": [ "clerks" ], "next": "done" }"""));
        var instance = await StartAsync(name);
        var view = await fixture.Client.FindInstanceAsync(instance, Cancel);
        return (Assert.Single(view!.Waits).Id!.Value, instance);
    }

    private async Task<Guid> StartAsync(string definition)
    {
        var input =
            JsonSerializer.SerializeToElement(new { key = SampleDefinitions.NewName(), price = 2, quantity = 3 });
        var started = await fixture.Client.StartAsync(
            new StartInstance { Definition = definition, Input = input }, cancellationToken: Cancel);
        return started.Id;
    }

    private Task<string> PageAsync(string path) => fixture.Http.GetStringAsync(new Uri(path, UriKind.Relative), Cancel);

    /// <summary>Sends a form of one of the service's own pages; the page to which that leads.</summary>
    private async Task<string> ActAsync(string path, params (string Field, string Text)[] fields)
    {
        using var response = await PostAsync(
            fixture.Http, path, fields, request => request.Headers.Add("Sec-Fetch-Site", "same-origin"));
        var page = await IsPageAsync(response, 200);
        Assert.Contains("role=\"status\"", page, StringComparison.Ordinal);
        return page;
    }

    internal static async Task<HttpResponseMessage> PostAsync(
        HttpClient http, string path, IEnumerable<(string Field, string Text)> fields,
        Action<HttpRequestMessage>? change = null)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, path)
        {
            Content = new FormUrlEncodedContent(fields.Select(field => KeyValuePair.Create(field.Field, field.Text))),
        };
        (change ?? (own => own.Headers.Add("Origin", http.BaseAddress!.GetLeftPart(UriPartial.Authority))))(request);
        return await http.SendAsync(request, Cancel);
    }

    internal static async Task<string> IsPageAsync(HttpResponseMessage response, int status)
    {
        var page = await response.Content.ReadAsStringAsync(Cancel);
        Assert.True((int)response.StatusCode == status, $"{(int)response.StatusCode} instead of {status}: {page}");
        Assert.Equal("text/html", response.Content.Headers.ContentType?.MediaType);
        Assert.Empty(Markup.Faults(page));
        return page;
    }
}
