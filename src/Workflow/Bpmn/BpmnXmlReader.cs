using System.Xml;

namespace Workflow.Bpmn;

/// <summary>
/// Reads XML as hostile input: no document type, nothing from elsewhere, bounded in size, depth and number.
/// </summary>
internal static class BpmnXmlReader
{
    /// <summary>Bytes of a file at most.</summary>
    public const int MaxBytes = 4 * 1024 * 1024;

    /// <summary>Levels of elements at most.</summary>
    public const int MaxDepth = 64;

    /// <summary>Elements at most, those of the picture included.</summary>
    public const int MaxElements = 50_000;

    private const string Declarations = "http://www.w3.org/2000/xmlns/";

    private static readonly XmlReaderSettings Settings = new()
    {
        DtdProcessing = DtdProcessing.Prohibit,
        XmlResolver = null,
        IgnoreComments = true,
        IgnoreProcessingInstructions = true,
    };

    /// <summary>The root; null when there is a finding.</summary>
    /// <param name="charset">What the sender says that the encoding is; null for nothing.</param>
    public static BpmnElement? Read(ReadOnlySpan<byte> xml, string? charset, FindingList findings)
    {
        if (xml.Length > MaxBytes)
        {
            findings.AddToFile(1, 1,
                $"The file has {xml.Length} bytes; at most {MaxBytes} are read. Split it: one process to a file.");
            return null;
        }

        if (BpmnEncoding.Decode(xml, charset, findings) is not { } text)
        {
            return null;
        }

        try
        {
            using var reader = XmlReader.Create(new StringReader(text), Settings);
            return Read(reader, findings);
        }
        catch (XmlException e)
        {
            findings.AddToFile(e.LineNumber, e.LinePosition, e.Message.Contains("DTD", StringComparison.Ordinal)
                ? "The file has a document type (<!DOCTYPE …>), which is never read: it can name other files and grow "
                    + "without bound. Remove it."
                : $"The file is not well-formed XML: {Reason(e.Message)} Export it again from the editor.");
        }

        return null;
    }

    private static BpmnElement? Read(XmlReader reader, FindingList findings)
    {
        var place = (IXmlLineInfo)reader;
        var count = 0;
        BpmnElement? root = null;
        BpmnElement? current = null;
        while (reader.Read())
        {
            switch (reader.NodeType)
            {
                case XmlNodeType.Element:
                    if (reader.Depth >= MaxDepth || ++count > MaxElements)
                    {
                        findings.AddToFile(place.LineNumber, place.LinePosition - 1, reader.Depth >= MaxDepth
                            ? $"Elements nest deeper than {MaxDepth} levels here. Move inner sub-processes into "
                                + "processes of their own."
                            : $"The file has more than {MaxElements} elements. Split it: one process to a file.");
                        return null;
                    }

                    var isEmpty = reader.IsEmptyElement;
                    var element = Element(reader, place, current);
                    current?.Children.Add(element);
                    root ??= element;
                    current = isEmpty ? current : element;
                    break;
                case XmlNodeType.EndElement:
                    current = current!.Parent;
                    break;
                case XmlNodeType.Text or XmlNodeType.CDATA or XmlNodeType.SignificantWhitespace
                    or XmlNodeType.Whitespace:
                    current?.Append(reader.Value, place.LineNumber, place.LinePosition);
                    break;
            }
        }

        return root;
    }

    private static BpmnElement Element(XmlReader reader, IXmlLineInfo place, BpmnElement? parent)
    {
        var space = BpmnNamespace.Known(reader.NamespaceURI);
        var element = new BpmnElement(space, reader.LocalName, place.LineNumber, place.LinePosition - 1, parent);
        while (reader.MoveToNextAttribute())
        {
            if (reader.NamespaceURI != Declarations)
            {
                element.Attributes.Add(new(BpmnNamespace.Known(reader.NamespaceURI), reader.LocalName, reader.Value,
                    place.LineNumber, place.LinePosition + reader.Name.Length + 2));
            }
            else if (reader.Prefix.Length > 0)
            {
                element.Declare(reader.LocalName, reader.Value);
            }
        }

        reader.MoveToElement();
        return element;
    }

    // The library appends its own position.
    private static string Reason(string message)
    {
        var end = message.IndexOf(" Line ", StringComparison.Ordinal);
        return end < 0 ? message : message[..end];
    }
}
