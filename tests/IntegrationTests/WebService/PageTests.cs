using System.Security.Cryptography;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Http;
using Workflow.Contracts.Tasks;
using Workflow.WebService.Access;
using Workflow.WebService.Configuration;

namespace IntegrationTests.WebService;

/// <summary>The pages under <c>/ui</c> as a browser gets them: what they show, what their forms do, and that it is well formed.</summary>
[Trait("Category", "Integration")]
public sealed class PageTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    private const string Hostile = "</td><script>alert('x')</script>\" onload=\"alert(1)\u202E\u0001&amp;";

    [Fact]
    public async Task Every_link_of_every_page_is_answered_and_no_data_becomes_markup()
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
        foreach (var path in new[] { "/ui/definitions", "/ui/instances", "/ui/tasks", "/ui/dead-letters", "/ui/events", "/ui/load" })
        {
            Assert.Contains(path, pages.Keys);
        }

        // Each was shown somewhere, so that what was looked at is not nothing.
        Assert.All(["/ui/definition?", "/ui/instances/", "/ui/tasks/"],
            kind => Assert.Contains(pages.Keys, path => path.StartsWith(kind, StringComparison.Ordinal)));
        Assert.Contains(pages, page => page.Value.Contains("&lt;script&gt;alert", StringComparison.Ordinal));
        Assert.DoesNotContain(pages, page => page.Value.Contains("<script>", StringComparison.Ordinal));
        Assert.DoesNotContain(pages, page => page.Value.AsSpan().ContainsAny('\u202E', '\u0001'));
    }

    [Fact]
    public async Task Actions_of_an_instance_do_what_they_say_and_are_in_its_history()
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
        Assert.Equal((InstanceState.Completed, """{"answer":{"n":7}}"""), (view!.State, view.Output!.Value.GetRawText()));
        Assert.Equal(InstanceState.Cancelled, (await fixture.Client.FindInstanceAsync(second, Cancel))!.State);
        Assert.Contains("It goes on with what came.", resumed, StringComparison.Ordinal);
        Assert.All(["suspended", "signalled", "resumed", "completed"],
            line => Assert.Contains($"<th scope=\"row\">{line}</th>", resumed, StringComparison.Ordinal));
        Assert.DoesNotContain("<h2>Actions</h2>", resumed, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Failed_instance_shows_why_and_goes_on_with_the_variables_of_the_form()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var failed = await fixture.Client.StartAsync(new StartInstance { Definition = name }, cancellationToken: Cancel);

        var before = await PageAsync($"/ui/instances/{failed.Id}");
        await ActAsync($"/ui/instances/{failed.Id}/retry", ("variables", """{ "key": "k" }"""));

        Assert.Contains("<div class=\"error\">", before, StringComparison.Ordinal);
        Assert.Contains("<summary>Retry</summary>", before, StringComparison.Ordinal);
        Assert.Equal(InstanceState.Waiting, (await fixture.Client.FindInstanceAsync(failed.Id, Cancel))!.State);
        Assert.Contains("<th scope=\"row\">retried</th>", await PageAsync($"/ui/instances/{failed.Id}"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Task_is_found_assigned_and_completed_and_the_form_sent_twice_has_one_effect()
    {
        var (task, instance) = await TaskAsync();
        Assert.Contains($"/ui/tasks/{task}", await PageAsync($"/ui/tasks?group=clerks&state=open"), StringComparison.Ordinal);

        await ActAsync($"/ui/tasks/{task}/assign", ("assignee", "ann"));
        await ActAsync($"/ui/tasks/{task}/complete", ("output", """{ "ok": true }"""), ("once", $"{task}"));
        var again = await ActAsync($"/ui/tasks/{task}/complete", ("output", """{ "ok": true }"""), ("once", $"{task}"));

        var view = await fixture.Client.GetTaskAsync(task, Cancel);
        Assert.Equal((TaskState.Completed, "ann", """{"ok":true}"""), (view.State, view.Assignee, view.Output!.Value.GetRawText()));
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
    public async Task Name_that_somebody_else_points_to_this_machine_shows_nothing_where_there_are_no_keys()
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "/ui/instances") { Headers = { Host = "rebound.example" } };
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
    public async Task Pages_of_a_list_follow_one_another_without_repeating_any()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        var started = new List<Guid>();
        for (var i = 0; i < 52; i++)
        {
            started.Add(await StartAsync(name));
        }

        var first = await PageAsync($"/ui/instances?definition={name}&state=completed");
        var next = WebUtility.HtmlDecode(Regex.Match(first, "href=\"([^\"]*)\" rel=\"next\"").Groups[1].Value);
        var second = await PageAsync(next);

        var shown = new[] { first, second }.SelectMany(page =>
            Regex.Matches(page, "href=\"/ui/instances/([^\"?]*)\"").Select(match => Guid.Parse(match.Groups[1].Value)));
        Assert.Equal(started.OrderBy(id => id.ToString(), StringComparer.Ordinal), shown);
        Assert.DoesNotContain("rel=\"next\"", second, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Large_instance_is_cut_and_the_whole_is_a_link_away()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var input = JsonSerializer.SerializeToElement(new { key = SampleDefinitions.NewName(), large = new string('x', 400_000) });
        var started = await fixture.Client.StartAsync(new StartInstance { Definition = name, Input = input }, cancellationToken: Cancel);

        var page = await PageAsync($"/ui/instances/{started.Id}");

        Assert.True(page.Length < 60_000, $"{page.Length} characters");
        Assert.Contains("of 400,002 characters", page, StringComparison.Ordinal);
        Assert.Contains($"href=\"/instances/{started.Id}\"", page, StringComparison.Ordinal);
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
    public async Task Last_200_events_are_shown_newest_first_though_all_are_of_one_lane()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        var input = JsonSerializer.SerializeToElement(new { price = 2, quantity = 3 });
        var started = new List<Guid>();
        for (var i = 0; i < 210; i++)
        {
            var instance = await fixture.Client.StartAsync(
                new StartInstance { Definition = name, CorrelationKey = name, Input = input }, cancellationToken: Cancel);
            started.Insert(0, instance.Id);
        }

        var page = await PageAsync($"/ui/events?definition={name}");

        var shown = Regex.Matches(page, "href=\"/ui/instances/([^\"?]*)\"").Select(match => Guid.Parse(match.Groups[1].Value)).ToList();
        Assert.Equal(200, shown.Count);
        var newest = shown.Distinct().ToList();
        Assert.Equal(started.Take(newest.Count), newest);
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
                    ["wait"] = new { type = "waitSignal", signal = "go", correlation = "= key", next = "check", title = "<script>alert" },
                    ["check"] = new { type = "task", groups = new[] { "<script>alert('group')</script>" }, next = "done" },
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
                new StartInstance { Definition = documented, CorrelationKey = key, Input = input }, cancellationToken: Cancel);
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
        var input = JsonSerializer.SerializeToElement(new { key = SampleDefinitions.NewName(), price = 2, quantity = 3 });
        var started = await fixture.Client.StartAsync(
            new StartInstance { Definition = definition, Input = input }, cancellationToken: Cancel);
        return started.Id;
    }

    private Task<string> PageAsync(string path) => fixture.Http.GetStringAsync(new Uri(path, UriKind.Relative), Cancel);

    /// <summary>Sends a form of one of the service's own pages; the page to which that leads.</summary>
    private async Task<string> ActAsync(string path, params (string Field, string Text)[] fields)
    {
        using var response = await PostAsync(fixture.Http, path, fields, request => request.Headers.Add("Sec-Fetch-Site", "same-origin"));
        var page = await IsPageAsync(response, 200);
        Assert.Contains("role=\"status\"", page, StringComparison.Ordinal);
        return page;
    }

    internal static async Task<HttpResponseMessage> PostAsync(
        HttpClient http, string path, IEnumerable<(string Field, string Text)> fields, Action<HttpRequestMessage>? change = null)
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

/// <summary>Who may look at the pages, and who may act.</summary>
[Trait("Category", "Integration")]
public sealed class PageAccessTests
{
    private const string Full = "full-4711-0123456789abcdef";
    private const string ReadOnly = "read-4711-0123456789abcdef";

    [Fact]
    public async Task Browser_signs_in_with_a_key_and_holds_a_session_that_is_not_the_key()
    {
        await using var service = await StartAsync(("Access:Keys:0", Full), ("Access:Keys:1", "read:" + ReadOnly));
        using var stranger = NewBrowser(service);
        using var refused = await stranger.GetAsync(new Uri("/ui/instances?state=failed", UriKind.Relative), Cancel);
        var form = await PageTests.IsPageAsync(refused, 401);
        Assert.Contains("name=\"next\" value=\"/ui/instances?state=failed\"", form, StringComparison.Ordinal);
        foreach (var path in new[] { "/ui", "/ui/events", "/ui/view.js", "/ui/nowhere", "/UI/load", "/instances" })
        {
            using var asked = await stranger.GetAsync(new Uri(path, UriKind.Relative), Cancel);
            Assert.Equal(HttpStatusCode.Unauthorized, asked.StatusCode);
        }

        using var wrong = await PageTests.PostAsync(stranger, "/ui/sign-in", [("key", Full + "x")]);
        Assert.Contains("none of the service&#39;s keys", await PageTests.IsPageAsync(wrong, 403), StringComparison.Ordinal);
        using var foreign = await PageTests.PostAsync(
            stranger, "/ui/sign-in", [("key", Full)], request => request.Headers.Add("Origin", "http://evil.example"));
        await PageTests.IsPageAsync(foreign, 403);

        using var signedIn = await PageTests.PostAsync(stranger, "/ui/sign-in", [("key", Full), ("next", "//evil.example/")]);
        Assert.Equal((HttpStatusCode.SeeOther, "/ui"), (signedIn.StatusCode, signedIn.Headers.Location?.OriginalString));
        var cookie = Assert.Single(signedIn.Headers.GetValues("Set-Cookie"));
        Assert.DoesNotContain(Full, cookie, StringComparison.Ordinal);
        Assert.All(["httponly", "samesite=strict", "path=/"], part => Assert.Contains(part, cookie, StringComparison.OrdinalIgnoreCase));

        // A session looks everywhere and acts by forms alone: no page of somebody else has it send JSON.
        using var own = NewBrowser(service, cookie);
        using var page = await own.GetAsync(new Uri("/ui", UriKind.Relative), Cancel);
        Assert.Contains("Sign out", await PageTests.IsPageAsync(page, 200), StringComparison.Ordinal);
        using var json = await own.GetAsync(new Uri("/instances", UriKind.Relative), Cancel);
        Assert.Equal(HttpStatusCode.OK, json.StatusCode);
        using var posted = await own.PostAsync("/definitions", SampleDefinitions.Linear("posted"), Cancel);
        await Answer.IsProblemAsync(posted, 401, "key-required");

        using var signedOut = await PageTests.PostAsync(own, "/ui/sign-out", []);
        Assert.Equal(HttpStatusCode.SeeOther, signedOut.StatusCode);
        using var over = await own.GetAsync(new Uri("/ui", UriKind.Relative), Cancel);
        await PageTests.IsPageAsync(over, 401);
    }

    [Fact]
    public async Task Session_holds_on_every_node_with_the_same_key_until_it_ends_and_no_other_node_takes_it()
    {
        await using var one = await StartAsync(("Access:Keys:0", Full));
        await using var other = await StartAsync(("Access:Keys:0", "read:" + ReadOnly), ("Access:Keys:1", Full));
        await using var stranger = await StartAsync(("Access:Keys:0", Full + "x"), ("Access:Keys:1", HashOf(Full)));
        using var nobody = NewBrowser(one);
        using var signedIn = await PageTests.PostAsync(nobody, "/ui/sign-in", [("key", Full)]);
        var cookie = Assert.Single(signedIn.Headers.GetValues("Set-Cookie"));

        Assert.Equal([HttpStatusCode.OK, HttpStatusCode.OK], [await LookAsync(one), await LookAsync(other)]);
        Assert.Equal(HttpStatusCode.Unauthorized, await LookAsync(stranger));

        using var browser = NewBrowser(other, cookie);
        using var signedOut = await PageTests.PostAsync(browser, "/ui/sign-out", []);
        Assert.Contains("max-age=0", Assert.Single(signedOut.Headers.GetValues("Set-Cookie")), StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.Unauthorized, await LookAsync(other));

        async Task<HttpStatusCode> LookAsync(WebServiceProcess node)
        {
            using var http = NewBrowser(node, cookie);
            using var response = await http.GetAsync(new Uri("/ui", UriKind.Relative), Cancel);
            return response.StatusCode;
        }
    }

    [Fact]
    public void Session_that_is_over_changed_or_of_a_key_that_only_reads_allows_no_more_than_that()
    {
        var time = new ManualTime();
        var (settings, after) = (Keys(Full, "read:" + ReadOnly), Keys("read:" + Full));
        var cookie = SignIn(settings, Full);

        Assert.Equal(AccessLevel.Full, Level(settings, cookie));
        Assert.Equal(AccessLevel.Read, Level(settings, SignIn(settings, ReadOnly)));
        Assert.Equal(AccessLevel.Read, Level(after, cookie));
        Assert.Equal(AccessLevel.None, Level(Keys(HashOf(Full)), cookie));
        var value = cookie.IndexOf('=', StringComparison.Ordinal) + 1;
        Assert.All(Enumerable.Range(value, cookie.Length - value - 1), place => Assert.Equal(
            AccessLevel.None, Level(settings, $"{cookie[..place]}{(cookie[place] == 'A' ? 'B' : 'A')}{cookie[(place + 1)..]}")));
        Assert.All([cookie[..^1], cookie + "A", cookie[..value], cookie[..value] + "!"],
            broken => Assert.Equal(AccessLevel.None, Level(settings, broken)));
        time.Advance(Sessions.Lifetime - TimeSpan.FromSeconds(1));
        Assert.Equal(AccessLevel.Full, Level(settings, cookie));
        time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(AccessLevel.None, Level(settings, cookie));

        string SignIn(ServiceSettings of, string key)
        {
            var context = new DefaultHttpContext();
            new Sessions(of, time).Begin(context, of.AccessKeys.Find(key)!);
            return Assert.Single(context.Response.Headers.SetCookie)!.Split(';')[0];
        }

        AccessLevel Level(ServiceSettings of, string sent)
        {
            var context = new DefaultHttpContext();
            context.Request.Headers.Cookie = sent;
            return new Sessions(of, time).LevelOf(context);
        }

        static ServiceSettings Keys(params string[] keys) => new() { AccessKeys = AccessKeys.Read(keys, Assert.Fail) };
    }

    [Fact]
    public async Task Read_only_key_looks_and_does_not_act()
    {
        await using var service = await StartAsync(("Access:Keys:0", Full), ("Access:Keys:1", "read:" + ReadOnly));
        using var program = NewBrowser(service);
        program.DefaultRequestHeaders.Add("X-Api-Key", Full);
        using var registered = await program.PostAsync("/definitions", SampleDefinitions.Waiting("waiting"), Cancel);
        using var started = await program.PostAsync("/instances", """{"definition":"waiting","input":{"key":"k"}}""", Cancel);
        var id = JsonDocument.Parse(await started.Content.ReadAsStringAsync(Cancel)).RootElement.GetProperty("id").GetGuid();
        using var stranger = NewBrowser(service);
        using var signedIn = await PageTests.PostAsync(stranger, "/ui/sign-in", [("key", ReadOnly), ("next", $"/ui/instances/{id}")]);
        using var reader = NewBrowser(service, Assert.Single(signedIn.Headers.GetValues("Set-Cookie")));

        using var looked = await reader.GetAsync(signedIn.Headers.Location, Cancel);
        using var acted = await PageTests.PostAsync(reader, $"/ui/instances/{id}/cancel", []);
        using var lookedByKey = await program.GetAsync(new Uri($"/ui/instances/{id}", UriKind.Relative), Cancel);

        var page = await PageTests.IsPageAsync(looked, 200);
        Assert.Contains("read only", page, StringComparison.Ordinal);
        Assert.Equal("/ui/sign-out", Assert.Single(Regex.Matches(page, "method=\"post\" action=\"([^\"]*)\"")).Groups[1].Value);
        Assert.Contains("key-read-only", await PageTests.IsPageAsync(acted, 403), StringComparison.Ordinal);
        var full = await PageTests.IsPageAsync(lookedByKey, 200);
        Assert.Contains($"/ui/instances/{id}/cancel", full, StringComparison.Ordinal);
        Assert.Contains(">waiting</span>", full, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Load_of_the_lanes_is_shown_for_each_and_adds_up()
    {
        await using var service = await StartAsync(("WorkflowBackend:Lanes", "4"));
        var name = await service.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        for (var i = 0; i < 20; i++)
        {
            var key = SampleDefinitions.NewName();
            await service.Client.StartAsync(
                new StartInstance { Definition = name, CorrelationKey = key, Input = JsonSerializer.SerializeToElement(new { key }) },
                cancellationToken: Cancel);
        }

        using var http = NewBrowser(service);
        var page = await http.GetStringAsync(new Uri("/ui/load", UriKind.Relative), Cancel);

        var heads = Regex.Matches(page, "<th scope=\"col\"[^>]*>([^<]*)</th>").Select(match => match.Groups[1].Value).ToList();
        var lanes = Regex.Matches(page, "<tr><th scope=\"row\">(\\d)</th>(.*?)</tr>").Select(row => Regex.Matches(row.Groups[2].Value, ">([0-9.]+)</td>")
            .Select(cell => double.Parse(cell.Groups[1].Value, System.Globalization.CultureInfo.InvariantCulture)).ToList()).ToList();
        Assert.Equal(4, lanes.Count);
        Assert.Equal(20, SumOf("Live instances"));
        Assert.Equal(0, SumOf("Pending commands"));
        Assert.Equal(await http.MetricAsync(service.BaseAddress, "workflow_flushes_total"), SumOf("Flushes"));

        double SumOf(string column) => lanes.Sum(lane => lane[heads.IndexOf(column) - 1]);
    }

    [Fact]
    public async Task Pages_can_be_left_out()
    {
        await using var service = await StartAsync(("Ui:Enabled", "false"));
        using var http = NewBrowser(service);

        using var response = await http.GetAsync(new Uri("/ui", UriKind.Relative), Cancel);

        await Answer.IsProblemAsync(response, 404, "route-not-found", "/ui");
    }

    private static string HashOf(string key) => "sha256:" + Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(key)));

    private static HttpClient NewBrowser(WebServiceProcess service, string? cookie = null)
    {
        var handler = new HttpClientHandler { UseCookies = false, AllowAutoRedirect = false };
        var http = new HttpClient(handler) { BaseAddress = service.BaseAddress };
        if (cookie is not null)
        {
            http.DefaultRequestHeaders.Add("Cookie", cookie.Split(';')[0]);
        }

        return http;
    }

    private static Task<WebServiceProcess> StartAsync(params (string Key, string Value)[] settings) => WebServiceProcess.StartAsync(
        new WebServiceOptions { Settings = settings.ToDictionary(setting => setting.Key, setting => setting.Value) }, Cancel);
}

/// <summary>Reads markup as strictly as no browser does.</summary>
internal static partial class Markup
{
    private static readonly string[] Void = ["meta", "link", "input", "img", "br", "wbr"];

    /// <summary>Addresses of links and of what a page loads.</summary>
    public static IEnumerable<string> Links(string page) =>
        Address().Matches(page).Select(match => WebUtility.HtmlDecode(match.Groups[1].Value)).Where(link => !link.StartsWith('#'));

    /// <summary>A link without what is different in each of its kind.</summary>
    public static string Kind(string link) => Different().Replace(link, "#");

    /// <summary>What is not well formed, named twice or without the name that a reader needs.</summary>
    public static IEnumerable<string> Faults(string page)
    {
        if (!page.StartsWith("<!DOCTYPE html>\n<html lang=\"en\">", StringComparison.Ordinal))
        {
            yield return "it does not begin as a page";
        }

        var open = new Stack<string>();
        foreach (var tag in Tag().Matches(page["<!DOCTYPE html>".Length..]).Select(match => match.Value))
        {
            if (Element().Match(tag) is not { Success: true } element)
            {
                yield return $"'{tag}' is no tag";
            }
            else if (element.Groups["end"].Length > 0)
            {
                if (open.Count == 0 || open.Pop() != element.Groups["name"].Value)
                {
                    yield return $"'{tag}' ends another element";
                }
            }
            else if (!Void.Contains(element.Groups["name"].Value))
            {
                open.Push(element.Groups["name"].Value);
            }
        }

        if (open.Count > 0)
        {
            yield return $"{open.Peek()} does not end";
        }

        var ids = Id().Matches(page).Select(match => match.Groups[1].Value).ToList();
        foreach (var twice in ids.GroupBy(id => id).Where(group => group.Count() > 1))
        {
            yield return $"two elements have the id {twice.Key}";
        }

        foreach (var label in For().Matches(page).Select(match => match.Groups[1].Value).Except(ids))
        {
            yield return $"there is no field {label} for its label";
        }

        foreach (var unnamed in Unnamed().Matches(page).Select(match => match.Value))
        {
            yield return $"'{unnamed}' has no scope, no alternative text, an inline style or an inline script";
        }

        if (Heading().Count(page) != 1)
        {
            yield return "it has not one heading";
        }
    }

    [GeneratedRegex("(?:href|src|data-url)=\"([^\"]*)\"")]
    private static partial Regex Address();

    [GeneratedRegex("<[^>]*>?")]
    private static partial Regex Tag();

    [GeneratedRegex("^<(?<end>/?)(?<name>[a-z0-9]+)(?:\\s+[a-z-]+(?:=\"[^\"<>]*\")?)*>$")]
    private static partial Regex Element();

    [GeneratedRegex(" id=\"([^\"]*)\"")]
    private static partial Regex Id();

    [GeneratedRegex(" for=\"([^\"]*)\"")]
    private static partial Regex For();

    [GeneratedRegex("<th>|<img(?![^>]* alt=)[^>]*>|<[^>]* (?:style|on[a-z]+)=\"[^>]*>|<script(?! src=\"/ui/view.js\" defer>)[^>]*>"
        + "|<input(?![^>]* (?:id|type=\"hidden\"))[^>]*>")]
    private static partial Regex Unnamed();

    [GeneratedRegex("[0-9a-f]{8}-[0-9a-f-]{27}|(?<=definitions/|name=|definition=)[^/?&]+|[0-9]+")]
    private static partial Regex Different();

    [GeneratedRegex("<h1>")]
    private static partial Regex Heading();
}
